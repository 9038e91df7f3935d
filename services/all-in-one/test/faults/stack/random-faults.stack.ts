/**
 * Injects random faults under load: it kills and freezes processes, and cuts, blocks, delays and resets network links.
 * Then everything heals, and every promise is checked. FAULT_SEED=n repeats one seed, FAULT_SEEDS=n runs n seeds.
 * FAULTS_OF=cluster breaks the servers of `npm run stack -- --cluster`, and promotes PostgreSQL's standby in some
 * rounds.
 */
import http from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { databaseAddress, openDatabase } from '@waypost/postgres';
import { pause } from '@waypost/test-support';
import type { Answer, Json } from '../../waypost-process.ts';
import { random, visit } from '../visitors.ts';
import { allLinks, type Creation, checkCreations, checkEvents, slugsOf } from './effects.ts';
import { describeFault, drawFaults, type Fault, unleash } from './nemesis.ts';
import { apiClient, type StackUnderTest, startStack } from './stack-under-test.ts';

const IS_CLUSTER = process.env.FAULTS_OF === 'cluster';
const ONE = process.env.FAULT_SEED;
const SEEDS = ONE === undefined ? Number(process.env.FAULT_SEEDS ?? 8) : 1;
const FIRST_SEED = ONE === undefined ? Date.now() % 1_000_000 : Number(ONE);
/** The default number of seeds fits into the time of CI. */
const BUDGET_MS = process.env.FAULT_SEEDS === undefined ? 3 * 60_000 : SEEDS * 90_000;

const FAULTS_WITHIN_MS = 5_500;
const LOAD_AFTER_HEAL_MS = 1_000;
const VISITORS = 8;
const QUOTA = 30;
/** After all rounds, the figures of the most visited links of each round must still be the same. */
const LOOKED_AT_AGAIN = 12;
const READY_WITHIN_MS = 60_000;
const VISIBLE_WITHIN_MS = 90_000;
/** After this time a client retries with the same key, while its first request may still run. */
const PATIENCE_MS = 2_000;

let stack: StackUnderTest;
let db: Awaited<ReturnType<typeof openDatabase>>;
async function start(): Promise<void> {
  stack = await startStack({}, ...(IS_CLUSTER ? ['--cluster'] : []));
  const address = databaseAddress(stack.access['link-api'].DATABASE_URL!);
  db = await openDatabase({ ...address, poolSize: 2, onIdleError: () => undefined });
}
async function end(): Promise<void> {
  await db?.close().catch(() => undefined);
  await stack?.remove();
}
beforeAll(start, 180_000);
afterAll(end, 90_000);

/** Counts the redirects of each link, and the broken answers that may have been redirects. */
interface Clicks {
  answered: number;
  underWay: number;
}
const allClicks = new Map<string, Clicks & { readonly seed: number; readonly key: string }>();

test(
  `keeps every promise over ${SEEDS} seeds of random faults, from FAULT_SEED=${FIRST_SEED} on`,
  async () => {
    const problems: string[] = [];
    const began = performance.now();
    let seeds = 0;
    for (let isLast = false; !isLast; ) {
      const seed = FIRST_SEED + seeds++;
      const faults = drawFaults(random(seed), FAULTS_WITHIN_MS, IS_CLUSTER);
      const problemsOfSeed = await round(seed, faults).catch((error: Error) => [`the round ended by ${error.stack}`]);
      isLast = seeds === SEEDS || performance.now() - began >= BUDGET_MS;
      const isSpent = faults.some(({ kind }) => kind === 'lose');
      if (isLast || isSpent) problemsOfSeed.push(...(await clicksAtTheEnd()));
      problems.push(...problemsOfSeed.map((problem) => `FAULT_SEED=${seed}: ${problem}`));
      if (problemsOfSeed.length > 0) process.stderr.write(`${problems.slice(-problemsOfSeed.length).join('\n')}\n`);
      stack.heal();
      if (!isSpent || isLast) continue;
      // The former primary cannot return as a standby, so a new stack follows.
      await end();
      await start();
    }
    const took = Math.round((performance.now() - began) / 1_000);
    process.stderr.write(`random faults: ${seeds} of ${SEEDS} seeds in ${took} s, ${problems.length} problems\n`);
    expect(problems).toEqual([]);
  },
  BUDGET_MS + 300_000,
);

const isWithin = ({ answered, underWay }: Clicks, total: number) => total >= answered && total <= answered + underWay;
const describeClicks = (slug: string, { answered, underWay }: Clicks, total: number) =>
  `${slug} shows ${total} clicks after ${answered} answered redirects and ${underWay} that broke off`;

/** A click that counted once must still count once, whatever happened later. */
async function clicksAtTheEnd(): Promise<string[]> {
  const problems: string[] = [];
  for (const [slug, clicks] of allClicks) {
    const total = await totalOf(apiClient(stack.api, clicks.key), slug);
    if (!isWithin(clicks, total))
      problems.push(`after FAULT_SEED=${clicks.seed}: at the end ${describeClicks(slug, clicks, total)}`);
  }
  allClicks.clear();
  return problems;
}

async function round(seed: number, faults: readonly Fault[]): Promise<string[]> {
  const problems: string[] = [];
  const { key } = await stack.waypost.newKey();
  const limited = await stack.waypost.newKey('read,write', { limit: QUOTA });
  const api = apiClient(stack.api, key);
  const limitedApi = apiClient(stack.api, limited.key);

  const clicks = new Map<string, Clicks>();
  const revokedAt = new Map<string, number>();
  const creations: Creation[] = [];
  const late: Promise<unknown>[] = [];
  const slugs: string[] = [];
  let running = true;
  let names = 0;
  const destination = () => `https://www.wikipedia.org/wiki/seed-${seed}/${++names}`;

  /** Resolves to undefined if the connection broke or the time ran out. The request may still take effect. */
  const ask = async (request: Promise<Answer>): Promise<Answer | undefined> => {
    const answer = request.catch(() => undefined);
    late.push(answer);
    return Promise.race([answer, pause(PATIENCE_MS).then(() => undefined)]);
  };

  const first = await api('POST', '/api/v1/links/bulk', {
    links: Array.from({ length: 4 }, () => ({ destination_url: destination() })),
  });
  if (first.status !== 201) return [`the first links were answered ${first.status} on a healed stack`];
  slugs.push(...first.body.links.map(({ link }: Json) => link.slug));

  async function visits(): Promise<void> {
    const agent = new http.Agent({ keepAlive: true, maxSockets: VISITORS });
    await Promise.all(
      Array.from({ length: VISITORS }, async () => {
        while (running) {
          // Half of the visits go to the newest links, because those change.
          const recent = slugs.slice(-6);
          const slug =
            Math.random() < 0.5
              ? slugs[Math.floor(Math.random() * 4)]!
              : recent[Math.floor(Math.random() * recent.length)]!;
          const seen = await visit(stack.redirect, slug, agent);
          const ofSlug = clicks.get(slug) ?? { answered: 0, underWay: 0 };
          clicks.set(slug, ofSlug);
          if (seen?.status === 302) {
            ofSlug.answered += 1;
            if (seen.began > (revokedAt.get(slug) ?? Number.POSITIVE_INFINITY))
              problems.push(`${slug} was redirected after its revoke`);
          } else if (seen === undefined || seen.status === 502 || seen.status === 504) ofSlug.underWay += 1;
          else if (seen.status !== 410 && seen.status !== 503)
            problems.push(`${slug}, which exists, was answered ${seen.status}`);
          await pause(5 + Math.random() * 20);
        }
      }),
    );
    agent.destroy();
  }

  async function creates(): Promise<void> {
    while (running) {
      const count = Math.random() < 0.6 ? 1 : 2 + Math.floor(Math.random() * 20);
      const destinations = Array.from({ length: count }, destination);
      const links = destinations.map((destination_url) => ({ destination_url }));
      const creation: Creation = {
        destinations,
        key: Math.random() < 0.7 ? crypto.randomUUID() : undefined,
        answer: undefined,
      };
      creations.push(creation);
      const [where, body] = count === 1 ? ['/api/v1/links', links[0]] : ['/api/v1/links/bulk', { links }];
      for (let tries = creation.key === undefined ? 1 : 4; tries > 0 && creation.answer?.status !== 201; tries--) {
        const headers = creation.key === undefined ? {} : { 'Idempotency-Key': creation.key };
        creation.answer = await ask(api('POST', where as string, body, headers));
        if (creation.answer?.status !== 201) await pause(100 + Math.random() * 400);
      }
      // Visitors use only one link of a bulk, because the figures of each visited link are checked.
      if (creation.answer?.status === 201) slugs.push(slugsOf(creation.answer)[0]!);
      await pause(20 + Math.random() * 80);
    }
  }

  async function revokes(): Promise<void> {
    while (running) {
      await pause(100 + Math.random() * 200);
      const slug = slugs.slice(4).findLast((one) => !revokedAt.has(one));
      if (slug === undefined) continue;
      for (let tries = 4; tries > 0; tries--) {
        const answer = await ask(
          api('POST', `/api/v1/links/${slug}/revoke`).then((seen) => {
            if (seen.status === 200 && !revokedAt.has(slug)) revokedAt.set(slug, performance.now());
            return seen;
          }),
        );
        // A 409 means that an earlier attempt succeeded, so the revoke counts as confirmed from now on.
        if (answer?.status === 409) revokedAt.set(slug, revokedAt.get(slug) ?? performance.now());
        if (answer?.status === 200 || answer?.status === 409) break;
        await pause(200);
      }
    }
  }

  const limitedCreations: Creation[] = [];
  async function exhausts(): Promise<void> {
    while (running) {
      const destinations = Array.from({ length: 1 + Math.floor(Math.random() * 5) }, destination);
      const links = destinations.map((destination_url) => ({ destination_url }));
      const creation: Creation = { destinations, key: undefined, answer: undefined };
      limitedCreations.push(creation);
      creation.answer = await ask(limitedApi('POST', '/api/v1/links/bulk', { links }));
      await pause(100 + Math.random() * 300);
    }
  }

  const load = Promise.all([visits(), creates(), creates(), revokes(), exhausts(), exhausts()]);
  await pause(300);
  await unleash(stack, faults);
  stack.heal();
  await pause(LOAD_AFTER_HEAL_MS);
  running = false;
  await load;
  const ready = await stack.allReady(READY_WITHIN_MS);
  await Promise.all(late);

  // Every 201 must have exactly one effect. Nothing may be half done, and no limit may be exceeded.
  const links = await allLinks(api);
  const limitedLinks = await allLinks(limitedApi);
  problems.push(...checkCreations(creations, links), ...checkCreations(limitedCreations, limitedLinks));
  if (limitedLinks.length > QUOTA) problems.push(`${limitedLinks.length} links of an account that may make ${QUOTA}`);
  for (const slug of revokedAt.keys()) {
    const link = links.find((one) => one.slug === slug);
    if (link?.status !== 'revoked') problems.push(`${slug} was revoked and is ${link?.status}`);
    const { status } = await fetch(`${stack.redirect}/${slug}`, { redirect: 'manual' });
    if (status !== 410) problems.push(`${slug} was revoked and its visitors are answered ${status}`);
  }

  const visibleAt = performance.now();
  await each(clicks, async ([slug, ofSlug]) => {
    let total = await totalOf(api, slug);
    while (total < ofSlug.answered && performance.now() - visibleAt < VISIBLE_WITHIN_MS) {
      await pause(300);
      total = await totalOf(api, slug);
    }
    if (!isWithin(ofSlug, total)) problems.push(describeClicks(slug, ofSlug, total));
  });
  const most = [...clicks].sort(([, one], [, other]) => other.answered - one.answered).slice(0, LOOKED_AT_AGAIN);
  for (const [slug, ofSlug] of most) allClicks.set(slug, { ...ofSlug, seed, key });
  const visible = performance.now() - visibleAt;
  problems.push(...(await checkEvents(stack.kafka, db, [...links, ...limitedLinks])));

  const sum = [...clicks.values()].reduce((all, { answered }) => all + answered, 0);
  process.stderr.write(
    `FAULT_SEED=${seed} [${faults.map(describeFault).join(', ')}]: ${sum} redirects, ${links.length} links, ` +
      `${limitedLinks.length} limited, ${revokedAt.size} revoked; ready after ${Math.round(ready)} ms, clicks ` +
      `${Math.round(visible)} ms later: ${problems.length === 0 ? 'well' : `${problems.length} PROBLEMS`}\n`,
  );
  return problems;
}

async function each<T>(all: Iterable<T>, work: (one: T) => Promise<void>): Promise<void> {
  const remaining = [...all];
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      for (let one = remaining.shift(); one !== undefined; one = remaining.shift()) await work(one);
    }),
  );
}

async function totalOf(api: ReturnType<typeof apiClient>, slug: string): Promise<number> {
  const { status, body } = await api('GET', `/api/v1/links/${slug}/analytics`);
  return status === 200 ? body.total_clicks : Number.NaN;
}
