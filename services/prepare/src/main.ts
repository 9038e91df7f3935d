/** `waypost admin prepare` as a separate process, in a container and for `npm run stack`. */
import { runAdmin, running } from '@waypost/command-line';
import { prepareCommands } from './app.ts';

// Process 1 of a container ignores signals that it does not handle. It may stop at any time: a rerun continues.
for (const [signal, number] of [
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const)
  process.once(signal, () => process.exit(128 + number));

const commands = running(prepareCommands, process.env);
process.exitCode = await runAdmin(['prepare', ...process.argv.slice(2)], prepareCommands, (name, sent) =>
  commands[name]!(sent),
);
