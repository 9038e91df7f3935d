/**
 * Start time (first and second start), memory and CPU of an idle product, including its child processes. The reference
 * for the start, in the same run: an empty script on the same Node.
 *
 *   npm run bench -- idle [--seconds 30]
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { atMost, below, figure } from './lib/goals.ts';
import { cpuMs, ownMiB, runOn, startProduct } from './lib/product.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '30' } } });
const seconds = Number(values.seconds);

const emptyBegan = performance.now();
spawnSync(process.execPath, ['-e', '']);
const emptyMs = performance.now() - emptyBegan;

const product = await startProduct();
await runOn(product, async () => {
  await product.stop();
  const began = performance.now();
  await product.restart();
  const secondMs = performance.now() - began;
  figure('first start', product.startMs, 'ms');
  figure('second start', secondMs, 'ms', atMost(3_000));
  figure('ratio of the second start to an empty script', secondMs / emptyMs);

  await new Promise((resolve) => setTimeout(resolve, 5_000));
  const before = cpuMs(product.pid);
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  figure(`idle for ${seconds} s`, (cpuMs(product.pid) - before) / (seconds * 10), '% of a core', below(5));
  // Pages that PostgreSQL's processes share count once.
  figure('memory of the process alone', ownMiB(product.pid, false), 'MiB');
  figure('memory with PostgreSQL', ownMiB(product.pid), 'MiB', atMost(400));
});
