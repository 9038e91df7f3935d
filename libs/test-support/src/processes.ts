import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Runs a module in a Node of its own, without the options of this one. Its output is for the test to read. */
export const spawnNode = (module: URL, args: readonly string[], environment: NodeJS.ProcessEnv = {}) =>
  spawn(process.execPath, ['--disable-warning=ExperimentalWarning', fileURLToPath(module), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '', ...environment },
  });
