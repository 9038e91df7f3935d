/** `npm run stack` must end within the 10 s of docs/operator-interface.md, even if a process hangs. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { until } from '@waypost/test-support';
import { diesWithUs, freePort, startEngine, startProgram } from '../engine.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
// As root, PostgreSQL runs under another user, who needs access to its folder.
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-stop-'));
let stack: ChildProcess | undefined;
afterEach(() => {
  stack?.kill('SIGKILL');
  fs.rmSync(dir, { recursive: true, force: true });
});

test('a stack that is stopped while it starts does not finish its start first', async () => {
  const [PORT, REDIRECT_PORT, INTERNAL_PORT] = [await freePort(), await freePort(), await freePort()].map(String);
  stack = spawn(path.join(ROOT, 'scripts/node.sh'), [path.join(ROOT, 'scripts/stack.ts'), '--data', dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, FEEDS: 'none', PORT, REDIRECT_PORT, INTERNAL_PORT },
  });
  diesWithUs(stack);
  let printed = '';
  stack.stdout!.on('data', (chunk) => {
    printed += chunk;
  });
  const ended = once(stack, 'exit');
  await until(() => fs.existsSync(path.join(dir, 'scanner.log')), 120_000);
  stack.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(printed).toBe('');
  await until(() => !execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).includes(dir));
}, 180_000);

test('a process that does not end is killed after the time that its stop may take', async () => {
  const logFile = path.join(dir, 'stuck.log');
  const args = ['-c', "trap '' TERM; echo trapped; while :; do sleep 0.1; done"];
  const isReady = async () => fs.readFileSync(logFile, 'utf8') !== '';
  const start = () =>
    startProgram({ name: 'stuck', command: '/bin/sh', args, logFile, isReady, readyWithinMs: 30_000 });
  const stuck = await startEngine({ name: 'stuck', port: 0, start, stopWithinMs: 3_600_000 });
  await stuck.stop(100);
});
