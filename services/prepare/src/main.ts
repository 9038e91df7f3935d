/** `waypost admin prepare` as a process of its own, in a container and for `npm run stack`. */
import { runAdmin, running } from '@waypost/command-line';
import { prepareCommands } from './app.ts';

// The first process of a container ends by a signal only if it says so. Its work may be begun again at any time.
for (const [signal, number] of [
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const)
  process.once(signal, () => process.exit(128 + number));

const commands = running(prepareCommands, process.env);
process.exitCode = await runAdmin(['prepare', ...process.argv.slice(2)], prepareCommands, (name, sent) =>
  commands[name]!(sent),
);
