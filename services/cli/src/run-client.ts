import { makeProgram } from './commands/index.ts';
import { run } from './run.ts';
import { openSession } from './session.ts';
import { processTerminal, type Terminal } from './terminal.ts';

/** Runs the command-line client of the REST API. Resolves to an exit code that `waypost help` lists. */
export function runClient(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
  terminal: Terminal = processTerminal(environment),
): Promise<number> {
  const session = openSession(environment, terminal);
  return run(makeProgram(session), argv, session);
}
