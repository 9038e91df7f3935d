/** `npm run -s waypost -- …`: the operator commands, and the command-line client of the REST API. */
import { runClient } from '@waypost/cli';
import { runOperatorCommand } from './admin.ts';

const argv = process.argv.slice(2);
process.exitCode =
  argv[0] === 'admin' ? await runOperatorCommand(argv.slice(1), process.env) : await runClient(argv, process.env);
