/**
 * Start time (first and second start), memory and CPU of an idle product, including its child processes. The reference
 * for the start, in the same run: an empty script on the same Node.
 *
 *   node bench/idle.ts [--seconds 30]
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { cpuSeconds, rssMiB, startProduct } from './lib/product.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '30' } } });
const seconds = Number(values.seconds);

const emptyBegan = performance.now();
spawnSync(process.execPath, ['-e', '']);
const emptyMs = performance.now() - emptyBegan;

const product = await startProduct();
try {
  await product.stop();
  const began = performance.now();
  await product.restart();
  const secondMs = performance.now() - began;
  console.log(
    `first start ${product.startMs.toFixed(0)} ms, second start ${secondMs.toFixed(0)} ms (goal: <= 3,000 ms); an empty script ${emptyMs.toFixed(0)} ms, ratio ${(secondMs / emptyMs).toFixed(1)}`,
  );

  await new Promise((resolve) => setTimeout(resolve, 5_000));
  const pid = product.currentPid();
  const before = cpuSeconds(pid);
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const share = (cpuSeconds(pid) - before) / seconds;
  console.log(
    `idle for ${seconds} s: ${(share * 100).toFixed(2)} % of a core (goal: < 5 %), ${rssMiB(pid).toFixed(0)} MiB with PostgreSQL`,
  );
} finally {
  await product.remove();
}
