import { CommanderError } from '@commander-js/extra-typings';
import { safeText, UsageError } from '@waypost/command-line';
import { WaypostError } from '@waypost/sdk';
import { makeProgram } from './commands/index.ts';
import { errorWords } from './error-words.ts';
import { Ended, openSession } from './session.ts';
import { processTerminal, type Terminal } from './terminal.ts';

/**
 * The command-line client of the REST API. Resolves to the exit code: 0, 1 for an error, 2 for wrong usage, 3 and 4 as
 * `waypost help` says.
 */
export async function runClient(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
  given: Terminal = processTerminal(environment),
): Promise<number> {
  const session = openSession(environment, given);
  const { terminal } = session;
  try {
    await makeProgram(session).parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof Ended) return error.exitCode;
    // It has said what it had to say.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof UsageError) {
      terminal.err(`${error.message.split('\n').map(safeText).join('\n')}\n`);
      return 2;
    }
    if (error instanceof WaypostError) terminal.err(`${errorWords(error, terminal.ask !== undefined)}\n`);
    else if (isSystemError(error)) terminal.err(`${safeText(error.message)}\n`);
    else throw error;
    return 1;
  }
}

/** A file that cannot be written, a full disk. */
function isSystemError(error: unknown): error is Error {
  return typeof error === 'object' && error !== null && 'syscall' in error;
}
