import { type Command, CommanderError } from '@commander-js/extra-typings';
import { safeText, UsageError } from '@waypost/command-line';
import { WaypostError } from '@waypost/sdk';
import { Ended, type Session } from './session.ts';

/** Resolves to the exit code. */
export async function run(program: Command, argv: readonly string[], session: Session): Promise<number> {
  try {
    await program
      .hook('preAction', (_program, command) => session.begin(command.getOptionValue('json') === true))
      .parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof Ended) return error.exitCode;
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof WaypostError) {
      session.sayError(error);
      return exitCodeOf(error);
    }
    const isUsage = error instanceof UsageError;
    if (!isUsage && !session.isOperator && !isSystemError(error)) throw error;
    session.terminal.err(`${(error as Error).message.split('\n').map(safeText).join('\n')}\n`);
    return isUsage ? 2 : 1;
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
