import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
export const NODE = path.join(ROOT, 'scripts/node.sh');
/** The `waypost` of a clone, with the operator commands. */
export const WAYPOST = path.join(ROOT, 'services/all-in-one/src/waypost.ts');
/** The `waypost` that is published. */
export const CLIENT = path.join(ROOT, 'services/cli/src/waypost.ts');

/** Returns the environment in which operator commands find this installation. */
export function environmentOf(of: Record<'dataDir' | 'api' | 'redirect' | 'internal', string>): NodeJS.ProcessEnv {
  const port = (base: string) => new URL(base).port;
  return {
    HOME: process.env.HOME,
    FEEDS: 'none',
    DATA_DIR: of.dataDir,
    PORT: port(of.api),
    REDIRECT_PORT: port(of.redirect),
    INTERNAL_PORT: port(of.internal),
  };
}

/** Starts a program. It gets the variables of `environment` and `PATH`, nothing else. */
export const startProgram = (
  program: string,
  args: readonly string[],
  cwd: string,
  environment: NodeJS.ProcessEnv,
): ChildProcessWithoutNullStreams =>
  spawn(NODE, [program, ...args], { cwd, env: { PATH: process.env.PATH, ...environment } });

/** Resolves when the program has ended. Its stdin contains only `input`. */
export async function ended(program: ChildProcessWithoutNullStreams, input = '') {
  program.stdin.on('error', () => {}).end(input);
  const [stdout, stderr, [code]] = await Promise.all([
    text(program.stdout),
    text(program.stderr),
    once(program, 'close'),
  ]);
  return { code: code as number | null, stdout, stderr };
}
