/**
 * Promotes a synchronous standby of PostgreSQL under load, while its primary is lost, and lets the former primary
 * return. MATRIX_ROWS=few tests the first loss alone; each has a stack of its own.
 */
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ERASED_DESTINATION } from '@waypost/domain';
import { type PostgresServer, startPostgresServer } from '@waypost/engines';
import { asAdministrator, databaseAddress, openDatabase } from '@waypost/postgres';
import { pause } from '@waypost/test-support';
import { newFolder } from '@waypost/test-support/afterwards';
import { PASSWORD, people } from '../../people.ts';
import { clicksOf, comesTo, eventually, freshSlug, listedUrl, newLink, newSlug, newSlugs } from '../../support.ts';
import type { Json } from '../../waypost-process.ts';
import { visit } from '../visitors.ts';
import { allLinks, checkEvents } from './effects.ts';
import { apiClient, freePorts, type StackUnderTest, stackUnderTest } from './stack-under-test.ts';

const LOSSES = {
  killed: (stack: StackUnderTest) => stack.kill('PostgreSQL'),
  frozen: (stack: StackUnderTest) => stack.freeze('PostgreSQL'),
  /** The primary runs on, and only the services and the standby lose it. */
  'cut off': (stack: StackUnderTest) => {
    for (const service of ['link-api', 'redirector', 'scanner'] as const)
      stack.links[`${service}/postgres`].blackHole();
  },
  /** Nothing happens to the primary: somebody promotes the standby and forgets to stop it. */
  forgotten: () => undefined,
} as const;
type Loss = keyof typeof LOSSES;
const all = Object.keys(LOSSES) as Loss[];

const BEFORE_MS = 1_500;
const UNTIL_PROMOTED_MS = 1_000;
const AFTER_MS = 5_000;
const QUOTA = 40;
/** The links of an account that is deleted just before the loss. */
const LEFT_BEHIND = 500;

interface Seen {
  readonly at: number;
  readonly status: number;
}

/** Returns the number of 5xx, and the seconds from the first to the last. */
function outage(seen: readonly Seen[]): {
  readonly answered: number;
  readonly failed: number;
  readonly seconds: number;
} {
  const failed = seen.filter(({ status }) => status >= 500).map(({ at }) => at);
  const seconds = failed.length === 0 ? 0 : (Math.max(...failed) - Math.min(...failed)) / 1_000;
  return { answered: seen.length, failed: failed.length, seconds: Number(seconds.toFixed(1)) };
}

describe.each(process.env.MATRIX_ROWS === 'few' ? all.slice(0, 1) : all)('the primary is %s', (loss) => {
  const environment: NodeJS.ProcessEnv = {};
  beforeAll(async () => {
    const [port] = await freePorts(1);
    environment.STACK_TEST_STANDBY = String(port);
  });
  const { stack, api } = stackUnderTest(environment);
  let standby: PostgresServer;
  let first: { readonly socketDir: string; readonly port: number };
  beforeAll(async () => {
    const { port } = stack.description.engines.find(({ name }) => name === 'PostgreSQL')!;
    first = { socketDir: path.join(stack.waypost.dataDir, 'postgres/data-socket'), port };
    const own = Number(environment.STACK_TEST_STANDBY);
    standby = await startPostgresServer({ dir: newFolder(), port: own, standbyOf: first as PostgresServer });
  }, 60_000);
  afterAll(() => standby?.stop(), 30_000);
  const query = ({ socketDir: host, port }: typeof first, sql: string): Promise<Json[]> =>
    asAdministrator({ host, port, user: 'waypost' }, 'waypost', async (client) => (await client.query(sql)).rows);

  test('loses nothing that was answered when the standby is promoted, and never comes back', async () => {
    const limited = apiClient(stack.api, (await stack.waypost.newKey('read,write', { limit: QUOTA })).key);
    const { ask } = await people(stack.waypost).newAccount();
    const leaving = await people(stack.waypost).newAccount({ limit: LEFT_BEHIND });
    const leftBehind = await newSlugs(leaving.ask, LEFT_BEHIND);
    const hot = await newSlugs(api, 10);
    const seen = { visits: [] as Seen[], requests: [] as Seen[] };
    const clicks = new Map<string, number>();
    const revokedAt = new Map<string, number>();
    const links = [...hot];
    const stale: string[] = [];
    let requestsAfterRevoke = 0;
    let running = true;
    const sent = async (...request: Parameters<typeof api>) => {
      const answer = await api(...request);
      seen.requests.push({ at: performance.now(), status: answer.status });
      return answer;
    };

    async function visits(n: number): Promise<void> {
      const agent = new http.Agent({ keepAlive: true });
      for (let i = n; running; i++) {
        const [newest, gone] = [links.slice(-8), [...revokedAt.keys()].slice(-8)];
        const among = [newest, gone.length > 0 ? gone : hot, hot][i % 3]!;
        const slug = among[i % among.length]!;
        const began = performance.now();
        const answer = await visit(stack.redirect, slug, agent);
        const isRevoked = began > (revokedAt.get(slug) ?? Number.POSITIVE_INFINITY);
        if (isRevoked) requestsAfterRevoke += 1;
        if (isRevoked && answer?.status === 302) stale.push(slug);
        if (answer?.status === 302) clicks.set(slug, (clicks.get(slug) ?? 0) + 1);
        seen.visits.push({ at: performance.now(), status: answer?.status ?? 599 });
        await pause(10);
      }
      agent.destroy();
    }

    // Two clients want the same slugs. Each retries with its key until it has an answer.
    const slugs = Array.from({ length: 2_000 }, (_, i) => freshSlug(`p${i}`));
    const created: { readonly slug: string; readonly destination: string }[] = [];
    async function creates(client: number): Promise<void> {
      for (let i = 0; running; i++) {
        const link = { custom_slug: slugs[i]!, destination_url: `https://www.wikipedia.org/wiki/${client}/${i}` };
        const key = { 'Idempotency-Key': crypto.randomUUID() };
        let status = 503;
        while (status >= 500 && running) ({ status } = await sent('POST', '/api/v1/links', link, key));
        if (status === 201) created.push({ slug: slugs[i]!, destination: link.destination_url });
        if (status === 201) links.push(slugs[i]!);
        await pause(20);
      }
    }
    async function revokes(): Promise<void> {
      for (; running; await pause(50)) {
        const slug = links.slice(10).findLast((one) => !revokedAt.has(one));
        if (slug === undefined) continue;
        const { status } = await sent('POST', `/api/v1/links/${slug}/revoke`);
        // 400: an attempt without an answer had succeeded.
        if (status === 200 || status === 400) revokedAt.set(slug, performance.now());
      }
    }
    let withinQuota = 0;
    async function exhausts(): Promise<void> {
      for (; running; await pause(60)) {
        const { status } = await limited('POST', '/api/v1/links', { destination_url: 'https://www.wikipedia.org/' });
        if (status === 201) withinQuota += 1;
      }
    }

    const load = Promise.all([...[0, 1, 2, 3].map(visits), creates(0), creates(1), revokes(), exhausts()]);
    await pause(BEFORE_MS);
    const deletion = { email: leaving.email, current_password: PASSWORD };
    expect((await leaving.ask('DELETE', '/api/v1/account', deletion)).status).toBe(200);
    LOSSES[loss](stack);
    await pause(UNTIL_PROMOTED_MS);
    await standby.promote();
    await pause(AFTER_MS);
    running = false;
    await load;
    const answeredAfter = seen.requests.filter(({ at, status }) => at > performance.now() - 1_000 && status < 500);
    expect(answeredAfter.length).toBeGreaterThan(0);

    // Sessions, slugs, revokes, the quota.
    expect((await ask('GET', '/api/v1/account')).status).toBe(200);
    const listed = new Map((await allLinks(api)).map((link) => [link.slug, link]));
    expect(created.length).toBeGreaterThan(20);
    expect(new Set(created.map(({ slug }) => slug)).size).toBe(created.length);
    for (const { slug, destination } of created) expect(listed.get(slug)?.destination_url).toBe(destination);
    expect(revokedAt.size).toBeGreaterThan(5);
    for (const slug of revokedAt.keys()) expect(listed.get(slug)?.status).toBe('revoked');
    expect({ stale, requestsAfterRevoke: requestsAfterRevoke > 20 }).toEqual({ stale: [], requestsAfterRevoke: true });
    const ofLimited = (await allLinks(limited)).length;
    expect(ofLimited).toBeGreaterThanOrEqual(withinQuota);
    expect(ofLimited).toBeLessThanOrEqual(QUOTA);

    // The relay, the scanner and deletions have their leaders again.
    const db = await openDatabase({ ...databaseAddress(stack.access['link-api'].DATABASE_URL!), poolSize: 1 });
    expect(await checkEvents(stack.kafka, db, [...listed.values()])).toEqual([]);
    await db.close();
    const listedDestination = await listedUrl(stack.waypost);
    const flagged = { destination_url: listedDestination, status: 'flagged' };
    expect(await newLink(api, { destination_url: listedDestination })).toMatchObject(flagged);
    const [{ leaders }] = await query(
      standby,
      `SELECT count(*)::int AS leaders FROM pg_locks WHERE locktype = 'advisory'`,
    );
    expect(leaders).toBe(2);

    // The deletion of the account that began before the loss goes on.
    const notErased = `SELECT count(*)::int AS kept FROM links
      WHERE slug = ANY('{${leftBehind.join()}}') AND (status, destination_url) <> ('revoked', '${ERASED_DESTINATION}')`;
    expect(leftBehind.length).toBe(LEFT_BEHIND);
    await comesTo(() => query(standby, notErased), [{ kept: 0 }], 30_000);

    let [lost, doubled, counted] = [0, 0, 0];
    for (const [slug, expected] of clicks) {
      const total = await eventually(
        () => clicksOf(api, slug),
        (sum) => sum >= expected,
      );
      counted += expected;
      lost += Math.max(0, expected - total);
      doubled += Math.max(0, total - expected);
    }
    expect({ lost, doubled }).toEqual({ lost: 0, doubled: 0 });

    // The former primary returns: it accepts writes, and nobody sends it any.
    stack.heal();
    await eventually(
      () => query(first, 'SELECT 1').catch(() => []),
      (rows) => rows.length === 1,
    );
    expect((await query(first, 'SELECT pg_is_in_recovery() AS standby'))[0].standby).toBe(false);
    await pause(2_000);
    const slug = await newSlug(api);
    await comesTo(() => visit(stack.redirect, slug, http.globalAgent), { status: 302 });
    expect(await query(first, `SELECT slug FROM links WHERE slug = '${slug}'`)).toEqual([]);
    const others = `SELECT query FROM pg_stat_activity
      WHERE usename LIKE 'waypost\\_%' AND wait_event_type = 'Client' AND query NOT LIKE '%pg_walfile_name%'`;
    expect(await query(first, others)).toEqual([]);
    expect((await query(standby, others)).length).toBeGreaterThan(2);
    expect((await api('POST', `/api/v1/links/${slug}/revoke`)).status).toBe(200);
    expect((await visit(stack.redirect, slug, http.globalAgent))!.status).toBe(410);

    const figures = {
      visits: outage(seen.visits),
      requests: outage(seen.requests),
      stale: `0 of ${requestsAfterRevoke}`,
    };
    fs.writeSync(
      2,
      `primary ${loss}: ${JSON.stringify(figures)}; clicks ${counted}, lost ${lost}, doubled ${doubled}\n`,
    );
  }, 120_000);
});
