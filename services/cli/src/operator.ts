import type { Command } from '@commander-js/extra-typings';
import type { Waypost } from '@waypost/sdk';
import { addAdmin } from './commands/admin.ts';
import { emptyProgram } from './program.ts';
import { run } from './run.ts';
import { openSession } from './session.ts';
import { processTerminal, type Terminal } from './terminal.ts';

export interface Operator {
  /** The API, with the operator as the caller. */
  readonly api: Waypost;
  /** Adds the commands that are no endpoints of the API. */
  readonly addCommands: (admin: Command) => void;
}

/**
 * Runs `waypost admin` where Waypost runs. With an address or a login it is the client of the API instead. Resolves to
 * the exit code: 0, 1 for an error, 2 for wrong usage.
 */
export async function runOperator(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
  { api, addCommands }: Operator,
  terminal: Terminal = processTerminal(environment),
): Promise<number> {
  if (argv.some((argument) => /^--(url|profile)(=|$)/.test(argument)))
    return (await import('./run-client.ts')).runClient(['admin', ...argv], environment, terminal);
  // Scripts run these commands, so nobody is asked.
  const session = openSession(environment, { ...terminal, ask: undefined }, api);
  const program = emptyProgram(session);
  addCommands(addAdmin(program, session));
  const code = await run(program, ['admin', ...argv], session);
  return code > 2 ? 1 : code;
}
