/**
 * Runs files of tests against the separate processes. Those that ask for nothing special share one stack, since starting
 * one takes longer than most files do.
 *
 *   scripts/node.sh services/all-in-one/test/on-the-stack.ts [options of jest] -- FILES
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { SharedWaypost } from './waypost-process.ts';

process.env.WAYPOST_TEST_TARGET = 'stack';
const { startTestWaypost } = await import('./waypost-process.ts');

const JEST = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--selectProjects', 'embedded'];
const ONE_BY_ONE = ['--runInBand', '--forceExit', '--testTimeout', '180000'];

const { api, redirect, internal, dataDir, remove } = await startTestWaypost();
const shared: SharedWaypost = { api, redirect, internal, dataDir };
const jest = spawn('scripts/node.sh', [...JEST, ...ONE_BY_ONE, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, WAYPOST_TEST_SHARED: JSON.stringify(shared) },
});
const [code] = await once(jest, 'exit');
await remove();
process.exitCode = code ?? 1;
