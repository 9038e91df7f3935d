/**
 * Runs a command that tests, against the separate processes. Files that ask for nothing special share one stack, since
 * starting one takes longer than most files do.
 *
 *   scripts/node.sh services/all-in-one/test/on-the-stack.ts COMMAND
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { SharedWaypost } from './waypost-process.ts';

process.env.WAYPOST_TEST_TARGET = 'stack';
const { startTestWaypost } = await import('./waypost-process.ts');

const [command = '', ...args] = process.argv.slice(2);
const { api, redirect, internal, dataDir, remove } = await startTestWaypost();
const shared: SharedWaypost = { api, redirect, internal, dataDir };
const tests = spawn(command, args, {
  stdio: 'inherit',
  env: { ...process.env, WAYPOST_TEST_SHARED: JSON.stringify(shared) },
});
const [code] = await once(tests, 'exit');
await remove();
process.exitCode = code ?? 1;
