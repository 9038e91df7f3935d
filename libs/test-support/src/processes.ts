import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Runs a module in a new Node process, without the Node options of this one. The test can read its output. */
export const spawnNode = (module: URL, args: readonly string[], environment: NodeJS.ProcessEnv = {}) =>
  spawn(process.execPath, ['--disable-warning=ExperimentalWarning', fileURLToPath(module), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '', ...environment },
  });
