/** Test files run side by side, and each starts engines on ports of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, test } from '@jest/globals';

const ENGINE = path.resolve(import.meta.dirname, '../engine.ts');
/** Keeps its ports until its standard input ends. */
const SCRIPT = `
  import { freePort } from '${ENGINE}';
  const ports = [];
  for (let i = 0; i < 50; i++) ports.push(await freePort());
  console.log(ports.join(' '));
  process.stdin.resume();
`;

test('processes that draw the same random numbers get different ports', async () => {
  const processes = [1, 2].map(() =>
    spawn(process.execPath, ['--random-seed=1', '--input-type=module', '-e', SCRIPT], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  const lines = await Promise.all(processes.map(({ stdout }) => once(stdout, 'data')));
  for (const { stdin } of processes) stdin.end();
  const ports = lines.flatMap(([line]) => String(line).trim().split(' '));
  expect(ports).toHaveLength(100);
  expect(new Set(ports).size).toBe(100);
});
