import { CommanderError } from '@commander-js/extra-typings';
import { safeText, UsageError } from '@waypost/command-line';
import { WaypostError } from '@waypost/sdk';
import { makeProgram } from './commands/index.ts';
import { Ended, openSession } from './session.ts';
import { processTerminal, type Terminal } from './terminal.ts';

/** Runs the command-line client of the REST API. Resolves to an exit code that `waypost help` lists. */
export async function runClient(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
  ownTerminal: Terminal = processTerminal(environment),
): Promise<number> {
  const session = openSession(environment, ownTerminal);
  const { terminal } = session;
  try {
    await makeProgram(session)
      .hook('preAction', (_program, command) => session.begin(command.getOptionValue('json') === true))
      .parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof Ended) return error.exitCode;
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof UsageError) {
      terminal.err(`${error.message.split('\n').map(safeText).join('\n')}\n`);
      return 2;
    }
    if (error instanceof WaypostError) {
      session.sayError(error);
      return exitCodeOf(error);
    }
    if (!isSystemError(error)) throw error;
    terminal.err(`${safeText(error.message)}\n`);
    return 1;
  }
}

function exitCodeOf({ code, status }: WaypostError): number {
  if (status === 401 || status === 403) return 5;
  return code === 'no_answer' || status === 429 || status >= 500 ? 6 : 1;
}

/** Returns whether the error comes from the operating system, such as a full disk. */
function isSystemError(error: unknown): error is Error {
  return typeof error === 'object' && error !== null && 'syscall' in error;
}
