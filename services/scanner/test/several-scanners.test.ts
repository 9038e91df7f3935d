/** Each scanner has its own folder and its own connections to PostgreSQL, as in separate processes. */

import { rmSync, writeFileSync } from 'node:fs';
import { beforeEach, expect, test } from '@jest/globals';
import { parseAllowed } from '@waypost/domain';
import { pause, until } from '@waypost/test-support';
import { afterwards, serve } from '@waypost/test-support/afterwards';
import { connectTo, newDatabase } from '@waypost/test-support/database';
import type { FeedSource } from '../src/threats/feeds/feed-source.ts';
import { postgresSharedThreatData } from '../src/threats/shared-threat-data.sql.ts';
import { type Kit, newScanner, testLinks, testLooks } from './scanner-kit.ts';

const BAD = 'http://bad.example.net/kit';
const BASE = 'http://base.example.net/entry';
/** A rule flags this URL without any feed. */
const ODD_PORT = 'http://203.0.112.7:4545/';

let address: Awaited<ReturnType<typeof newDatabase>>;
let admin: Awaited<ReturnType<typeof connectTo>>;
beforeEach(async () => {
  address = await newDatabase();
  admin = await connectTo(address);
});

let processes = 0;

async function newProcess(options: Parameters<typeof newScanner>[0] = {}) {
  const applicationName = `scanner-${++processes}`;
  const db = await connectTo({ ...address, applicationName, poolSize: 5 });
  let isAlive = true;
  const shared = postgresSharedThreatData(() => {
    if (!isAlive) throw new Error('killed');
    return db;
  });
  const kit = await newScanner({ shared, followEveryMs: 50, ...options });
  afterwards(() => kit.stop());
  return {
    ...kit,
    /** Breaks the connections without a regular stop, as a killed process would. */
    async kill() {
      isAlive = false;
      await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1`, [
        applicationName,
      ]);
    },
  };
}

const flagged = async (kit: Kit, url: string) => (await kit.outcome(url)) === 'flagged';

const eventually = (isTrue: () => boolean | Promise<boolean>) => until(isTrue, 5_000);

/** The feed is polled often, so that a test soon sees which scanner leads. */
function feedAt(url: string): FeedSource {
  const where = { name: 'live', urls: [url], http: true };
  return { ...where, allowed: parseAllowed(['127.0.0.1']), format: 'urls', threatType: 'phishing', everyMs: 400 };
}

test('all scanners flag an imported entry within seconds, and one of them scans the links again', async () => {
  const links = testLinks();
  const [a, b] = [await newProcess({ links }), await newProcess({ links })];
  await Promise.all([a.start(), b.start()]);
  await eventually(() => a.status().rescansOwed === 0 && b.status().rescansOwed === 0);
  await b.createLink('link', BAD);
  const generation = await a.list('mine', [BAD]);
  await eventually(() => flagged(b, BAD));
  expect([a.status().generation, b.status().generation]).toEqual([generation, generation]);
  await eventually(() => [...a.bus.published, ...b.bus.published].length > 0);
  expect([...a.bus.published, ...b.bus.published].map(({ slug }) => slug)).toEqual(['link']);
});

test('imports at the same time all take effect', async () => {
  const [a, b] = [await newProcess(), await newProcess()];
  await Promise.all([a.list('one', ['http://one.example.net/']), b.list('two', ['http://two.example.net/'])]);
  await Promise.all([a.start(), b.start()]);
  for (const kit of [a, b]) {
    for (const url of ['http://one.example.net/', 'http://two.example.net/', BASE])
      await eventually(() => flagged(kit, url));
  }
});

test('an import at another scanner between the scan and the filing of a link still judges it', async () => {
  const links = testLinks();
  const [a, b] = [await newProcess({ links }), await newProcess({ links })];
  await b.start();
  await eventually(() => b.status().rescansOwed === 0);
  await a.list('mine', [BAD]);
  // At this time b has not yet looked for a new generation.
  await b.createLink('link', BAD);
  await eventually(() => b.bus.published.some(({ slug }) => slug === 'link'));
});

test('one scanner polls the feeds, and another continues when it is killed', async () => {
  const requests: string[] = [];
  const url = await serve((request, response) => {
    requests.push(request.url!);
    response.end(`http://polled${requests.length}.example.net/x\n`);
  });
  const a = await newProcess({ feeds: [feedAt(`${url}/a`)] });
  await a.start();
  await eventually(() => requests.filter((path) => path === '/a').length > 1);
  const b = await newProcess({ feeds: [feedAt(`${url}/b`)] });
  await b.start();
  await eventually(() => b.status().entries > 1);
  expect(requests).not.toContain('/b');
  await a.kill();
  await eventually(() => requests.filter((path) => path === '/b').length > 1);
});

test('a leader that cannot store the imports of others gives up the lead', async () => {
  const links = testLinks();
  const a = await newProcess({ links });
  await a.start();
  await eventually(() => a.status().rescansOwed === 0);
  const b = await newProcess({ links });
  await b.start();
  await b.createLink('link', BAD);
  await eventually(() => a.status().generation === b.status().generation);
  replaceByFile(a.dataDir);
  await b.list('mine', [BAD]);
  await until(() => b.bus.published.some(({ slug }) => slug === 'link'));
});

/** The scanner may be writing a file there, so the first try may leave one. */
function replaceByFile(folder: string): void {
  rmSync(folder, { recursive: true, maxRetries: 5 });
  writeFileSync(folder, 'no folder');
}

test('a scanner that cannot store imports still files links, and another scanner judges them', async () => {
  const links = testLinks();
  const rechecks = testLooks(links);
  const [a, b] = [await newProcess({ links, rechecks }), await newProcess({ links, rechecks })];
  await b.start();
  await a.start();
  await eventually(() => a.status().generation === b.status().generation && b.status().rescansOwed === 0);
  replaceByFile(a.dataDir);
  await b.list('mine', [BAD]);
  await eventually(() => b.status().rescansOwed === 0);
  await a.createLink('link', BAD);
  expect([...links.filed.keys()]).toEqual(['link']);
  await until(() => b.bus.published.some(({ slug }) => slug === 'link'));
  await eventually(() => a.status().detail?.includes('cannot follow the other scanners') === true);
  expect(b.status().detail ?? '').not.toContain('cannot follow');
});

test('links are scanned for new rules by a scanner that has these rules', async () => {
  const links = testLinks();
  const before = await newProcess({ links, rulesOff: ['ip-odd-port'] });
  await before.start();
  await eventually(() => before.status().rescansOwed === 0);
  await before.createLink('link', ODD_PORT);
  const after = await newProcess({ links });
  await after.start();
  await eventually(() => before.status().generation === after.status().generation);
  await pause(200);
  expect([before.bus.published, after.bus.published]).toEqual([[], []]);
  await before.stop();
  await until(() => after.bus.published.some(({ slug }) => slug === 'link'));
  await eventually(() => after.status().rescansOwed === 0);
});

test('damaged shared data is refused, and the earlier data stays in force', async () => {
  const [a, b] = [await newProcess(), await newProcess()];
  await a.list('mine', [BAD]);
  await admin.query(`UPDATE scanner_files SET content = set_byte(content, length(content) - 1, 255)`);
  await b.start();
  await eventually(() => b.status().detail?.includes('damaged: the keys of mine') === true);
  expect([await b.outcome(BAD), await b.outcome(BASE)]).toEqual(['clean', 'flagged']);
  await expect(b.list('other', [BAD])).rejects.toThrow('damaged: the keys of mine');

  // Without shared data, the leader publishes its own data again.
  await admin.query('DELETE FROM scanner_state; DELETE FROM scanner_files');
  await a.start();
  await b.list('again', ['http://again.example.net/']);
  await eventually(() => flagged(a, 'http://again.example.net/'));
});

test('without the database a scanner judges with its last data, even after a restart', async () => {
  const a = await newProcess();
  await a.start();
  await a.list('mine', [BAD]);
  await a.kill();
  expect(await flagged(a, BAD)).toBe(true);
  await a.stop();
  const away = postgresSharedThreatData(() => {
    throw new Error('the database is away');
  });
  const again = await newScanner({ shared: away, dataDir: a.dataDir });
  await again.start();
  expect(await flagged(again, BAD)).toBe(true);
  await expect(again.list('other', ['http://other.example.net/'])).rejects.toThrow('away');
  expect(await again.outcome('http://other.example.net/')).toBe('clean');
  await again.stop();
});

test('a scanner that starts with an empty folder gets all shared data', async () => {
  const a = await newProcess();
  await a.list('mine', [BAD]);
  await a.list('mine', [BAD, 'http://more.example.net/']);
  const b = await newProcess();
  await b.start();
  await eventually(() => flagged(b, 'http://more.example.net/'));
  expect(b.listFeeds().map(({ name }) => name)).toEqual(['base', 'mine']);
});
