/** `npm run -s waypost -- …`: the operator commands, and the command-line client of the REST API. */
import { runClient } from '@waypost/cli';

const argv = process.argv.slice(2);
// Imported when it is asked for: it has the whole product, and takes longer than what a client command does.
process.exitCode =
  argv[0] === 'admin'
    ? await (await import('./admin.ts')).runOperatorCommand(argv.slice(1), process.env)
    : await runClient(argv, process.env);
