import { CommanderError } from '@commander-js/extra-typings';
import { safeJson, safeText, UsageError } from '@waypost/command-line';
import { WaypostError } from '@waypost/sdk';
import { makeProgram } from './commands/index.ts';
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

/** Where the address is wrong; for everybody. */
const WRONG_ADDRESS: Readonly<Record<string, string>> = {
  redirected: ': set WAYPOST_URL to where the API is.',
  not_waypost: ': is WAYPOST_URL right?',
};

/** What to do next; for a person. */
const NEXT: Readonly<Record<string, string>> = {
  unauthorized: 'See which key this was: waypost whoami. Use another: waypost login',
  forbidden: 'See what this key may do: waypost whoami',
  rate_limited: 'See the quota: waypost whoami',
  no_answer: 'Is that the right address? WAYPOST_URL or --url sets another.',
};

function errorWords(error: WaypostError, forPerson: boolean): string {
  const { code, details, errorId, tries, retryAfter } = error;
  const fields = Object.entries(details).map(([field, problem]) => {
    const words = Array.isArray(problem)
      ? problem.join(', ')
      : typeof problem === 'string'
        ? problem
        : safeJson(problem);
    return `  ${safeText(field)}: ${safeText(words)}`;
  });
  const message = WRONG_ADDRESS[code] ? error.message.replace(/\.$/, WRONG_ADDRESS[code]) : error.message;
  const tried = tries === 1 ? '' : ` Tried ${tries} times.`;
  const again =
    retryAfter === undefined ? '' : ` Try again in ${retryAfter} ${retryAfter === 1 ? 'second' : 'seconds'}.`;
  return [
    `${safeText(message)}${tried}${again}`,
    ...fields,
    ...(errorId === undefined ? [] : [`  error_id: ${safeText(errorId)} (tell your administrator this number)`]),
    ...(forPerson && NEXT[code] ? [NEXT[code]] : []),
  ].join('\n');
}
