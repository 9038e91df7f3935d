/** `npm run -s waypost -- …`: the operator commands, and the command-line client of the REST API. */
import { runClient } from '@waypost/cli';
import { runAdmin } from './admin.ts';

const [first, ...rest] = process.argv.slice(2);
process.exitCode =
  first === 'admin' ? await runAdmin(rest, process.env) : await runClient(process.argv.slice(2), process.env);
