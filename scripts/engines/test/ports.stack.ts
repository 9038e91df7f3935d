/** Test files run side by side, and each starts engines on ports of its own. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const ENGINE = path.resolve(import.meta.dirname, '../engine.ts');
const SCRIPT = `
  import { freePort } from '${ENGINE}';
  const ports = [];
  for (let i = 0; i < 50; i++) ports.push(await freePort());
  console.log(ports.join(' '));
  setTimeout(() => undefined, 3_000);
`;

test('processes that draw the same random numbers get different ports', async () => {
  const draw = () => promisify(execFile)(process.execPath, ['--random-seed=1', '--input-type=module', '-e', SCRIPT]);
  const outputs = await Promise.all([draw(), draw()]);
  const ports = outputs.flatMap(({ stdout }) => stdout.trim().split(' '));
  expect(ports).toHaveLength(100);
  expect(new Set(ports).size).toBe(100);
});
