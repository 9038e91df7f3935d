/**
 * A feed import against many stored links, on the embedded PostgreSQL: from the import to the last flag, through the
 * scanner's query by keys, the bus and link-api's consumer. Then a small import, and what a sweep of all links takes.
 *
 *   npm run bench -- rescan [--links 1000000] [--listed 5000]
 *
 * Goal on two idle cores: every newly listed active link is flagged within 60 s, and no other.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { inProcessBus, inProcessLinkCache, startEmbeddedPostgres } from '../libs/adapter-embedded/src/index.ts';
import {
  asAdministrator,
  createDatabase,
  openDatabase,
  postgresAccounts,
  postgresLinkStore,
  postgresLookQueue,
  postgresScannedLinks,
} from '../libs/adapter-postgres/src/index.ts';
import { NO_ALLOWED_HOSTS, OPERATOR } from '../libs/domain/src/index.ts';
import { applyVerdicts } from '../services/link-api/src/consumers/apply-verdicts.ts';
import { createScanner, registrableDomain } from '../services/scanner/src/index.ts';
import { below, endOfGoals, exactly, figure } from './lib/goals.ts';

const { values } = parseArgs({
  options: { links: { type: 'string', default: '1000000' }, listed: { type: 'string', default: '5000' } },
});
const [LINKS, LISTED] = [Number(values.links), Number(values.listed)];
const BATCH = 50_000;
const silent = { error: console.error, warn: console.error, info() {}, debug() {} } as never;

/** The scanner's key of an expression, as SQL. */
const key = (expression: string) =>
  `('x' || encode(substr(sha256(convert_to(${expression}, 'UTF8')), 1, 8), 'hex'))::bit(64)::bigint`;
/** `https://h7.links-of-a-bench.net/p/7`, by the Safe Browsing expressions that a scan of it looks up. */
const KEYS = [
  'i_host || path',
  "i_host || '/'",
  "i_host || '/p/'",
  "'links-of-a-bench.net' || path",
  "'links-of-a-bench.net/'",
  "'links-of-a-bench.net/p/'",
].map(key);
const LOAD = `
WITH made AS (
  SELECT 's' || lpad(i::text, 9, '0') AS slug, 'h' || i || '.links-of-a-bench.net' AS i_host, '/p/' || i AS path
  FROM generate_series($2::int, $3::int) AS i
),
stored AS (
  INSERT INTO links (slug, owner_id, destination_url, status, tags, created_at, updated_at, scanned_at, scan_generation, version)
  SELECT slug, $1, 'https://' || i_host || path, 'active', '{}', now(), now(), now(), 'bench', 1 FROM made
),
filed AS (
  INSERT INTO scanner_links (slug, destination_url, keys)
  SELECT slug, 'https://' || i_host || path, ARRAY[${KEYS.join(', ')}] FROM made
  RETURNING id, keys
)
INSERT INTO scanner_keys (key, link_id) SELECT unnest(keys), id FROM filed`;

const folder = await mkdtemp(join(tmpdir(), 'waypost-bench-'));
const engine = await startEmbeddedPostgres(join(folder, 'postgres'));
await createDatabase(engine, 'bench');
const address = { ...engine, database: 'bench', poolSize: 10 };
const db = await openDatabase(address);
const bus = inProcessBus({ park: (_topic, _group, _message, error) => Promise.reject(error), logger: console });
const links = postgresLinkStore(db, { creationsPerHour: 300 });
const scannedLinks = postgresScannedLinks(() => db);
const queries: number[] = [];
const scanner = await createScanner({
  dataDir: join(folder, 'threats'),
  policy: { registrableDomain, ownHosts: [], allowed: NO_ALLOWED_HOSTS },
  links: {
    ...scannedLinks,
    matching: async (...asked) => {
      const startedAt = performance.now();
      const found = await scannedLinks.matching(...asked);
      queries.push(performance.now() - startedAt);
      return found;
    },
  },
  looks: postgresLookQueue(() => db),
  bus,
  feeds: 'none',
  logger: silent,
  now: () => new Date(),
});

try {
  const owner = await postgresAccounts(db).create(
    { email: 'b@example.com', admin: false, passwordHash: null },
    OPERATOR,
  );
  const cache = inProcessLinkCache({ size: 200_000 });
  await applyVerdicts({ bus, links, cache, now: () => new Date() });
  await scanner.start();
  await settled();

  let startedAt = performance.now();
  await asAdministrator(address, 'bench', async (client) => {
    for (let from = 0; from < LINKS; from += BATCH)
      await client.query(LOAD, [owner.id, from, Math.min(from + BATCH, LINKS) - 1]);
    await client.query('ANALYZE links, scanner_links, scanner_keys');
  });
  figure(`${LINKS} links loaded in`, seconds(startedAt), 's');

  const every = Math.floor(LINKS / LISTED);
  const listed = Array.from({ length: LISTED }, (_, i) => `https://h${i * every}.links-of-a-bench.net/p/${i * every}`);
  const fillers = Array.from({ length: LISTED }, (_, i) => `http://f${i}.fillers-of-a-bench.net/x`);
  startedAt = performance.now();
  await importFeed('large', [...listed, ...fillers]);
  const imported = seconds(startedAt);
  await settled();
  const flagged = await slugsFlagged();
  const large = `import of ${2 * LISTED} entries, ${LISTED} of them listing a link`;
  const wanted = new Set(listed.map((_, i) => `s${String(i * every).padStart(9, '0')}`));
  figure(`${large}: links flagged`, flagged.length, '', exactly(LISTED));
  figure(`${large}: others flagged`, flagged.filter((slug) => !wanted.has(slug)).length, '', exactly(0));
  figure(`${large}: in force after`, imported, 's');
  figure(`${large}: last link flagged after`, seconds(startedAt), 's', below(60));
  figure(`${large}: slowest query`, Math.max(...queries), 'ms');

  queries.length = 0;
  startedAt = performance.now();
  await importFeed('small', [`https://h${LINKS - 1}.links-of-a-bench.net/p/${LINKS - 1}`]);
  await settled();
  figure('import of one entry: links flagged', (await slugsFlagged()).length - flagged.length, '', exactly(1));
  figure('import of one entry: link flagged after', seconds(startedAt), 's', below(60));
  figure('import of one entry: query', Math.max(...queries), 'ms');
} finally {
  await scanner.stop();
  await db.destroy();
  await engine.stop();
  await rm(folder, { recursive: true, force: true });
}
endOfGoals();

function importFeed(name: string, lines: readonly string[]) {
  return scanner.importFeed({ text: lines.join('\n') }, { name, format: 'urls', threatType: 'malware' });
}

/** The bus in the process delivers before a re-scan counts as done. */
async function settled(): Promise<void> {
  while (scanner.status().rescansOwed > 0) await new Promise((resolve) => setTimeout(resolve, 50));
}

async function slugsFlagged(): Promise<string[]> {
  return await asAdministrator(address, 'bench', async (client) => {
    const { rows } = await client.query<{ slug: string }>(
      `SELECT slug FROM links WHERE status = 'flagged' ORDER BY slug`,
    );
    return rows.map(({ slug }) => slug);
  });
}

function seconds(since: number): number {
  return (performance.now() - since) / 1_000;
}
