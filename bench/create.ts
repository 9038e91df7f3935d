/**
 * Creations through the public port: single ones over 8 connections, and bulks of 300 one after the other. The
 * reference, in the same minutes: plain INSERTs of one row into the same kind of engine over 8 connections, without any
 * HTTP. CPU is of the process and of its PostgreSQL, per creation, the relay and the scanner's filing included; it depends
 * less on other load than times do. Needs `wrk`.
 *
 *   npm run bench -- create [--seconds 8] [--rounds 3] [--bulks 60]
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../libs/adapter-embedded/src/index.ts';
import { createDatabase, openDatabase } from '../libs/adapter-postgres/src/index.ts';
import { type Creations, creationLoad, middleRound } from './lib/creations.ts';
import { atLeast, atMost, endOfGoals, figure } from './lib/goals.ts';
import { cpuMs, median, quantile, startProduct } from './lib/product.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '3' },
    bulks: { type: 'string', default: '60' },
  },
});
const [seconds, rounds, bulks] = [Number(values.seconds), Number(values.rounds), Number(values.bulks)];
const CONNECTIONS = 8;

const product = await startProduct();
const referenceDir = fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-bench-'));
const engine = await startEmbeddedPostgres(path.join(referenceDir, 'postgres'));
await createDatabase(engine, 'bench');
const db = await openDatabase({ ...engine, database: 'bench', poolSize: CONNECTIONS });
await db.query('CREATE TABLE plain (id bigint GENERATED ALWAYS AS IDENTITY, slug text, url text)');

const create = creationLoad(product);
const eight = await Promise.all(Array.from({ length: 8 }, () => product.newKey()));
const createOfEight = creationLoad(
  product,
  eight.map(({ key }) => key),
);

try {
  create(CONNECTIONS, 2); // warm
  const singles: (Creations & { reference: number; own: number; all: number })[] = [];
  for (let round = 0; round < rounds; round++) {
    const [own, all] = [cpuMs(product.pid, false), cpuMs(product.pid)];
    const made = create(CONNECTIONS, seconds);
    await pause(1_500); // what is relayed is part of it
    const each = 1_000 / (made.perSecond * seconds);
    const cpu = { own: (cpuMs(product.pid, false) - own) * each, all: (cpuMs(product.pid) - all) * each };
    singles.push({ ...made, ...cpu, reference: await plainInserts() });
  }
  const middle = middleRound(singles);
  figure(`creations over ${CONNECTIONS} connections`, middle.perSecond, 'a second', atLeast(700));
  figure('creations of eight accounts', createOfEight(CONNECTIONS, seconds).perSecond, 'a second');
  figure('creations over one connection, p50', create(1, seconds).p50, 'ms', atMost(3));
  figure('reference: plain INSERTs', middle.reference, 'a second');
  figure('creations, ratio to plain INSERTs', middle.perSecond / middle.reference);
  console.log(
    `  all rounds: ${singles.map(({ perSecond, p50 }) => `${perSecond.toFixed(0)}/s ${p50.toFixed(2)} ms`).join(', ')}`,
  );
  figure('creations, CPU', median(singles.map(({ all }) => all)), 'us');
  figure('creations, CPU without PostgreSQL', median(singles.map(({ own }) => own)), 'us');

  const took: number[] = [];
  const links = Array.from({ length: 300 }, (_, i) => ({
    destination_url: `https://www.wikipedia.org/wiki/Article_${i}`,
    tags: ['bench'],
  }));
  let bulkCpu = 0;
  for (let i = 0; i < bulks; i++) {
    const began = performance.now();
    if (i === 5) bulkCpu = cpuMs(product.pid);
    const { status } = await product.call('POST', '/api/v1/links/bulk', { links });
    if (status !== 201) throw new Error(`a bulk was answered ${status}`);
    if (i >= 5) took.push(performance.now() - began);
  }
  bulkCpu = (cpuMs(product.pid) - bulkCpu) / took.length;
  figure('bulks of 300, one at a time, p50', median(took), 'ms', atMost(40));
  figure('bulks of 300, one at a time, p95', quantile(took, 0.95), 'ms');
  figure('bulks of 300, one at a time, CPU', bulkCpu, 'ms');
} finally {
  await db.destroy();
  await engine.stop();
  fs.rmSync(referenceDir, { recursive: true, force: true });
  await product.remove();
}
endOfGoals();

async function plainInserts(): Promise<number> {
  const until = performance.now() + 3_000;
  let count = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (performance.now() < until) {
        await db.query('INSERT INTO plain (slug, url) VALUES ($1, $2)', [
          'abcdefg',
          'https://www.wikipedia.org/wiki/Main_Page?from=bench',
        ]);
        count += 1;
      }
    }),
  );
  return count / 3;
}
