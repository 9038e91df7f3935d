/**
 * Creations through the public port: single ones over 8 connections, and bulks of 300 one after the other. The
 * reference, in the same minutes: plain INSERTs of one row into the same kind of engine over 8 connections, without any
 * HTTP. Needs `wrk`.
 *
 *   node bench/create.ts [--seconds 8] [--rounds 3] [--bulks 60]
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../libs/adapter-embedded/src/index.ts';
import { createDatabase, openDatabase } from '../libs/adapter-postgres/src/index.ts';
import { type Creations, creationLoad, middleRound } from './lib/creations.ts';
import { quantile, startProduct } from './lib/product.ts';

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

try {
  const singles: (Creations & { reference: number })[] = [];
  for (let round = 0; round < rounds; round++) {
    singles.push({ ...create(CONNECTIONS, seconds), reference: await plainInserts() });
  }
  const middle = middleRound(singles);
  console.log(`single creations, ${CONNECTIONS} connections, median of ${rounds} rounds of ${seconds} s:`);
  console.log(
    `  ${middle.perSecond.toFixed(0)}/s, p50 ${middle.p50.toFixed(2)} ms, p99 ${middle.p99.toFixed(2)} ms (goal: >= 1,000/s, p50 <= 5 ms)`,
  );
  console.log(
    `  plain INSERTs ${middle.reference.toFixed(0)}/s, ratio ${(middle.perSecond / middle.reference).toFixed(2)}`,
  );
  console.log(
    `  all rounds: ${singles.map(({ perSecond, p50 }) => `${perSecond.toFixed(0)}/s ${p50.toFixed(2)} ms`).join(', ')}`,
  );

  const took: number[] = [];
  const links = Array.from({ length: 300 }, (_, i) => ({
    destination_url: `https://www.wikipedia.org/wiki/Article_${i}`,
    tags: ['bench'],
  }));
  for (let i = 0; i < bulks; i++) {
    const began = performance.now();
    const { status } = await product.call('POST', '/api/v1/links/bulk', { links });
    if (status !== 201) throw new Error(`a bulk was answered ${status}`);
    if (i >= 5) took.push(performance.now() - began);
  }
  took.sort((a, b) => a - b);
  console.log(
    `bulks of 300, one at a time: p50 ${quantile(took, 0.5).toFixed(1)} ms, p95 ${quantile(took, 0.95).toFixed(1)} ms (goal: p50 <= 25 ms)`,
  );
} finally {
  await db.destroy();
  await engine.stop();
  fs.rmSync(referenceDir, { recursive: true, force: true });
  await product.remove();
}

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
