/**
 * `waypost admin prepare` as a separate process, in a container and for `npm run stack`. With `admin COMMAND` as its
 * arguments, it runs another command that works on the engines.
 */
import { running } from '@waypost/operator';
import { runCommands } from '@waypost/operator/program';
import { prepareCommands } from './app.ts';

// Process 1 of a container ignores signals that it does not handle. It may stop at any time: a rerun continues.
for (const [signal, number] of [
  ['SIGHUP', 1],
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const)
  process.once(signal, () => process.exit(128 + number));

const commands = running(prepareCommands, process.env);
const [first, ...rest] = process.argv.slice(2);
const argv = first === 'admin' ? rest : ['prepare', ...process.argv.slice(2)];
process.exitCode = await runCommands(argv, prepareCommands, (name, sent) => commands[name]!(sent));
