/**
 * Tests docs/failure-matrix.md. While an engine is frozen or dead, each caller gets the stated answer. Afterwards the
 * stack recovers soon and without help, and keeps every promise that it made during the fault. MATRIX_ROWS=few runs one
 * row of each process, frozen and killed in turn.
 */
import net from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { readAll } from '@waypost/adapter-kafka/under-test';
import { LINKS } from '@waypost/domain';
import { pause } from '@waypost/test-support';
import { clicksOf, comesTo, eventually, expectError, newSlugs, type Timed, timed } from '../../support.ts';
import type { Answer, Json } from '../../waypost-process.ts';
import { expectEnds, visitorsAround } from '../visitors.ts';
import { startLoad } from './load.ts';
import { type ProcessName, stackUnderTest } from './stack-under-test.ts';

const VISITOR_WITHIN_MS = 2_500;
const CLIENT_WITHIN_MS = 5_000;
const BACK_WITHIN_MS = 30_000;
/** Samples begin this long after the fault: before a breaker opens, while it is open, and long after. */
const SAMPLES_AT_MS = [0, 1_000, 3_000];
const LOAD_PER_SECOND = 200;
/** The links of a row are created this long before they end: after the start of the fault, and before it heals. */
const ENDS_AFTER_MS = 2_500;

interface Row {
  readonly down: readonly ProcessName[];
  readonly cached: readonly number[];
  readonly uncached: readonly number[];
  readonly create: number;
  readonly revoke: number;
  readonly list: number;
  readonly analytics: number;
}

const WELL = { cached: [302], uncached: [302], create: 201, revoke: 200, list: 200, analytics: 200 } as const;
const ROWS: readonly (Row & { readonly how: 'frozen' | 'killed' })[] = [
  ...(
    [
      { down: ['Redis'], ...WELL },
      { down: ['Kafka'], ...WELL },
      { down: ['PostgreSQL'], cached: [302], uncached: [503], create: 503, revoke: 503, list: 503, analytics: 503 },
      { down: ['ClickHouse-front'], ...WELL, analytics: 503 },
      { down: ['scanner'], ...WELL, create: 503 },
      // A redirector's micro-cache may still have the link.
      {
        down: ['Redis', 'PostgreSQL'],
        cached: [302, 503],
        uncached: [503],
        create: 503,
        revoke: 503,
        list: 503,
        analytics: 503,
      },
    ] satisfies Row[]
  ).flatMap((row) => [
    { ...row, how: 'frozen' as const },
    { ...row, how: 'killed' as const },
  ]),
  { down: ['analytics-ingest'], how: 'frozen', ...WELL },
  { down: ['analytics-ingest'], how: 'killed', ...WELL },
  { down: ['redirector-1'], how: 'killed', ...WELL },
  // The balancer needs some time until its health checks detect the frozen redirector.
  { down: ['redirector-1'], how: 'frozen', ...WELL, cached: [302, 504], uncached: [302, 504] },
];
const PROCESSES = [...new Set(ROWS.map(({ down }) => String(down)))];
const isOfFew = ({ down, how }: (typeof ROWS)[number]) =>
  (PROCESSES.indexOf(String(down)) % 2 === 0) === (how === 'frozen');
const MATRIX = process.env.MATRIX_ROWS === 'few' ? ROWS.filter(isOfFew) : ROWS;

const { stack, api } = stackUnderTest();

interface Visited {
  readonly status: number;
  readonly headers: Headers;
}

interface Ending {
  readonly visited: string;
  readonly unvisited: string;
  readonly end: number;
}

/** Two links that end soon. Visit the first, and let no cache have the second. */
async function endingLinks(): Promise<Ending> {
  const end = Date.now() + ENDS_AFTER_MS;
  const ends_at = new Date(end).toISOString();
  const [visited, unvisited] = (await newSlugs(api, 2, () => ({ ends_at }))) as [string, string];
  endings.push({ visited, unvisited, end });
  return { visited, unvisited, end };
}

const endings: Ending[] = [];
const visitAround = ({ visited, unvisited, end }: Ending) =>
  Promise.all([visitorsAround(stack.redirect, 64, visited, end), visitorsAround(stack.redirect, 8, unvisited, end)]);
/** After the end, a visitor of a link that would be redirected learns that it is over. */
const onceEnded = (statuses: readonly number[]) => statuses.map((status) => (status === 302 ? 410 : status));

async function expectRevoked({ visited, unvisited, end }: Ending): Promise<void> {
  const ends_at = new Date(end).toISOString();
  for (const slug of [visited, unvisited]) {
    const over = { slug, status: 'revoked', revoked_at: ends_at, updated_at: ends_at };
    await comesTo(() => api('GET', `/api/v1/links/${slug}`).catch(() => undefined), { body: over }, BACK_WITHIN_MS);
    // Each redirector gets some of these visits.
    for (let i = 0; i < 4; i++) expect((await visit(slug)).status).toBe(410);
  }
}

const visits: { readonly slug: string; readonly redirected: number; readonly brokenOff: number }[] = [];
/** Counts answers that broke off or came from the balancer. Their clicks may count or not. */
let brokenOff = 0;
/**
 * Visits the slug. A visitor whose connection broke retries once, because a killed redirector loses its open requests.
 */
async function visit(slug: string, mayBreak = false): Promise<Visited> {
  try {
    const options = { redirect: 'manual', signal: AbortSignal.timeout(20_000) } as const;
    const { status, headers } = await fetch(`${stack.redirect}/${slug}`, options);
    if (status === 504) brokenOff += 1;
    return { status, headers };
  } catch (error) {
    if (!mayBreak) throw error;
    brokenOff += 1;
    return visit(slug);
  }
}
const statusOf = async (slug: string): Promise<string> => (await api('GET', `/api/v1/links/${slug}`)).body.status;

let destinations = 0;
const newDestination = () => `https://www.wikipedia.org/wiki/${++destinations}`;
const newLinks = (count: number) => newSlugs(api, count, () => ({ destination_url: newDestination() }));

async function flushRedis(): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const { password, port } = new URL(stack.access.redirector.REDIS_URL!);
    const socket = net.connect(Number(port), '127.0.0.1', () => socket.write(`AUTH ${password}\r\nFLUSHALL\r\n`));
    let output = '';
    socket.on('data', (data) => {
      output += data;
      if (output !== '+OK\r\n+OK\r\n') return;
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}

interface Sample {
  readonly cached: Timed<Visited>;
  readonly uncached: Timed<Visited>;
  readonly create: Timed<Answer>;
  readonly revoke: Timed<Answer>;
  readonly list: Timed<Answer>;
  readonly analytics: Timed<Answer>;
}

async function sample(
  [cached, uncached, revoked]: readonly [string, string, string],
  destination: string,
  mayBreak = false,
): Promise<Sample> {
  const key = { 'Idempotency-Key': destination };
  const [first, second, create, revoke, list, analytics] = await Promise.all([
    timed(() => visit(cached, mayBreak)),
    timed(() => visit(uncached, mayBreak)),
    timed(() => api('POST', '/api/v1/links', { destination_url: destination }, key)),
    timed(() => api('POST', `/api/v1/links/${revoked}/revoke`)),
    timed(() => api('GET', '/api/v1/links')),
    timed(() => api('GET', `/api/v1/links/${cached}/analytics`)),
  ]);
  return { cached: first, uncached: second, create, revoke, list, analytics };
}

const statuses = (seen: Sample) =>
  Object.fromEntries(Object.entries(seen).map(([what, { value }]) => [what, value.status]));
const ALL_WELL = { cached: 302, uncached: 302, create: 201, revoke: 200, list: 200, analytics: 200 };

async function until(isTrue: () => Promise<boolean>, withinMs: number): Promise<number> {
  const start = performance.now();
  while (!(await isTrue().catch(() => false))) {
    if (performance.now() - start > withinMs) break;
    await pause(200);
  }
  return performance.now() - start;
}

test('the stack describes itself exactly as docs/operator-interface.md states', () => {
  const url = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/);
  const pid = expect.any(Number);
  const names = ['link-api', 'scanner', 'analytics-ingest', 'redirector-1', 'redirector-2', 'haproxy'];
  const engines = ['PostgreSQL', 'Redis', 'Kafka', 'ClickHouse front'];
  expect(stack.description).toEqual({
    api: stack.api,
    redirect: stack.redirect,
    internal: url,
    redirectors: [url, url],
    services: names.map((name) => ({ name, pid, url })),
    engines: engines.map((name) => ({ name, pid, port: expect.any(Number) })),
  });
});

describe('the failure matrix', () => {
  test.each(MATRIX.map((row) => [row.down.join(' and '), row.how, row] as const))(
    '%s %s',
    async (_down, how, row) => {
      // A row that failed must not make the next row fail.
      await stack.allReady(BACK_WITHIN_MS);
      const [cached, hot, ...others] = (await newLinks(2 + 2 * SAMPLES_AT_MS.length)) as [string, string, ...string[]];
      const uncached = others.slice(0, SAMPLES_AT_MS.length);
      const revoked = others.slice(SAMPLES_AT_MS.length);
      const ending = await endingLinks();
      await pause(300);
      await flushRedis();
      let clicks = 0;
      brokenOff = 0;
      const mayBreak = row.down.includes('redirector-1');
      // Four visits reach both redirectors.
      for (let i = 0; i < 4; i++) {
        expect((await visit(cached)).status).toBe(302);
        clicks += 1;
      }
      for (let i = 0; i < 4; i++) expect((await visit(ending.visited)).status).toBe(302);

      // These visitors use a link that all caches have, from before the fault until its end.
      const load = mayBreak ? undefined : startLoad(stack.redirect, [hot], LOAD_PER_SECOND);
      await pause(500);
      const destined = SAMPLES_AT_MS.map(newDestination);
      const began = performance.now();
      for (const name of row.down) {
        if (how === 'frozen') stack.freeze(name);
        else stack.kill(name);
      }
      const samples: Sample[] = [];
      let atTheEnd: Awaited<ReturnType<typeof visitAround>>;
      try {
        const visiting = visitAround(ending);
        for (const [i, at] of SAMPLES_AT_MS.entries()) {
          await pause(Math.max(0, began + at - performance.now()));
          samples.push(await sample([cached, uncached[i]!, revoked[i]!], destined[i]!, mayBreak));
        }
        atTheEnd = await visiting;
      } finally {
        await load?.stop();
        stack.heal();
      }
      if (load !== undefined && row.cached.every((status) => status === 302)) {
        expect(load.others()).toEqual({});
        expect(load.answered()).toBeGreaterThan(LOAD_PER_SECOND);
      }
      const healedAt = performance.now();
      const back = await until(async () => {
        const [one, other] = await newLinks(2);
        const now = await sample([cached, other!, one!], newDestination(), mayBreak);
        if (now.cached.value.status === 302) clicks += 1;
        return JSON.stringify(statuses(now)) === JSON.stringify(ALL_WELL);
      }, BACK_WITHIN_MS);
      await stack.allReady(BACK_WITHIN_MS);
      const ready = performance.now() - healedAt;

      for (const seen of samples) {
        const { cached: first, uncached: second, ...clients } = seen;
        expect(row.cached).toContain(first.value.status);
        expect(row.uncached).toContain(second.value.status);
        for (const { value, ms } of [first, second]) {
          expect(ms).toBeLessThan(VISITOR_WITHIN_MS);
          if (value.status === 503) expect(value.headers.get('retry-after')).toMatch(/^\d+$/);
          if (value.status === 302) expect(value.headers.get('cache-control')).toContain('no-store');
        }
        expect(statuses(seen)).toMatchObject({
          create: row.create,
          revoke: row.revoke,
          list: row.list,
          analytics: row.analytics,
        });
        for (const { value, ms } of Object.values(clients)) {
          expect(ms).toBeLessThan(CLIENT_WITHIN_MS);
          if (value.status === 503) expectError(value, 503);
        }
        if (first.value.status === 302) clicks += 1;
      }
      const [ofVisited, ofUnvisited] = atTheEnd;
      // So many visitors at one moment may delay Redis. If PostgreSQL is away, they get 503, never a redirect.
      const before = [...row.cached, ...row.uncached];
      expectEnds(ofVisited, ending.end, { before, after: onceEnded(before) });
      expectEnds(ofUnvisited, ending.end, { before: row.uncached, after: onceEnded(row.uncached) });
      await expectRevoked(ending);
      expect(back).toBeLessThan(BACK_WITHIN_MS);
      expect(ready).toBeLessThan(BACK_WITHIN_MS);

      for (const [i, { create, revoke }] of samples.entries()) {
        const destination = destined[i]!;
        const again = await api(
          'POST',
          '/api/v1/links',
          { destination_url: destination },
          { 'Idempotency-Key': destination },
        );
        expect(again.status).toBe(201);
        if (create.value.status === 201) expect(again.body.link.slug).toBe(create.value.body.link.slug);
        expect((await visit(again.body.link.slug)).status).toBe(302);
        expect(await linksTo(destination)).toBe(1);

        const status = await statusOf(revoked[i]!);
        // A 503 leaves the outcome open, because a frozen database may still commit when it continues.
        if (revoke.value.status === 200 || how === 'killed') {
          expect(status).toBe(revoke.value.status === 200 ? 'revoked' : 'active');
        }
        expect((await visit(revoked[i]!)).status).toBe(status === 'revoked' ? 410 : 302);
        expect((await visit(uncached[i]!)).status).toBe(302);
      }
      visits.push({ slug: cached, redirected: clicks, brokenOff });
      const slowest = (names: readonly (keyof Sample)[]) =>
        Math.round(Math.max(...samples.flatMap((seen) => names.map((name) => seen[name].ms))));
      console.info(
        `${row.down.join(' and ')} ${how}: slowest visitor ${slowest(['cached', 'uncached'])} ms, slowest client ` +
          `${slowest(['create', 'revoke', 'list', 'analytics'])} ms; after the heal answers ${Math.round(back)} ms, ready ` +
          `${Math.round(ready)} ms`,
      );
    },
    180_000,
  );

  test('each redirect counts once, also during a fault', async () => {
    expect(visits).toHaveLength(MATRIX.length);
    for (const { slug, redirected, brokenOff } of visits) {
      const total = await eventually(
        () => clicksOf(api, slug),
        (sum) => sum >= redirected,
      );
      expect(total).toBeGreaterThanOrEqual(redirected);
      expect(total).toBeLessThanOrEqual(redirected + brokenOff);
    }
  }, 120_000);
});

describe('an end', () => {
  test.each(['frozen', 'killed'] as const)('stops visitors on time while link-api is %s', async (how) => {
    await stack.allReady(BACK_WITHIN_MS);
    const ending = await endingLinks();
    expect((await visit(ending.visited)).status).toBe(302);
    if (how === 'frozen') stack.freeze('link-api');
    else stack.kill('link-api');
    let atTheEnd: Awaited<ReturnType<typeof visitAround>>;
    try {
      atTheEnd = await visitAround(ending);
    } finally {
      stack.heal();
    }
    for (const seen of atTheEnd) expectEnds(seen, ending.end);
    if (how === 'killed') {
      const ask = () => api('GET', `/api/v1/links/${ending.visited}`).catch(() => undefined);
      expect((await eventually(ask, Boolean))?.body.status).toBe('revoked'); // its first answer
    }
    await expectRevoked(ending);
    await stack.allReady(BACK_WITHIN_MS);
  });

  test('stops visitors on time although link-api died before it told a cache about it', async () => {
    const [slug] = (await newLinks(1)) as [string];
    expect((await visit(slug)).status).toBe(302);
    const end = Date.now() + 6_000; // link-api has started again by then
    // Redis does not answer, so the change is stored and no cache can learn of it before the kill.
    stack.links['link-api/redis'].blackHole();
    const ends_at = new Date(end).toISOString();
    const edit = api('PATCH', `/api/v1/links/${slug}`, { ends_at }).catch(() => undefined);
    await pause(150);
    stack.kill('link-api');
    expect(await edit).toBeUndefined();
    stack.heal();
    await comesTo(() => api('GET', `/api/v1/links/${slug}`).catch(() => undefined), { body: { ends_at } });
    const other = await visitorsAround(stack.redirect, 64, slug, end);
    expectEnds(other, end);
  });

  test('is one revocation with the cause, and each change of it is in the topic', async () => {
    const events = (await readAll(stack.kafka, LINKS.name)).map(({ value }) => LINKS.decode(value));
    for (const { visited, unvisited, end } of endings) {
      for (const slug of [visited, unvisited]) {
        const ofSlug = new Map(events.filter((event) => event.slug === slug).map((event) => [event.version, event]));
        expect([...ofSlug.values()]).toMatchObject([
          { type: 'link.created' },
          { type: 'link.revoked', cause: 'ended', at: new Date(end).toISOString() },
        ]);
      }
    }
  });
});

async function linksTo(destination: string): Promise<number> {
  let count = 0;
  for (let page = 1; page <= 3; page++) {
    const { body } = await api('GET', `/api/v1/links?limit=100&page=${page}`);
    count += body.data.filter((link: Json) => link.destination_url === destination).length;
  }
  return count;
}
