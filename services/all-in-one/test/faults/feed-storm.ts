/**
 * A feed lists the hosts of very many stored links, and later drops them. It measures the time until each link has its
 * verdict, and the effect on other users. STORM_LINKS is the number of links (default 5,000; the largest tried is
 * 50,000).
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect } from '@jest/globals';
import { pause, until } from '@waypost/test-support';
import type { ApiClient } from '../product.ts';
import { freshSlug, importFeed, newSlugs, times, visit } from '../support.ts';
import type { TestWaypost } from '../waypost-process.ts';
import { percentile, startLoad } from './stack/load.ts';

export const STORM_LINKS = Number(process.env.STORM_LINKS ?? 5_000);
/** The limit from the import to the last verdict. */
export const FLAGGED_WITHIN_MS = STORM_LINKS <= 5_000 ? 15_000 : 120_000;
/** A flagged link is cleared when it has been off the list for this time. */
const DROPPED_FOR_HOURS = 73;
const VISITS_PER_SECOND = 200;
/** Other users are measured for this time without a storm, as the reference. */
export const QUIET_MS = 3_000;

interface Target {
  readonly waypost: Pick<TestWaypost, 'redirect' | 'admin'>;
  readonly api: ApiClient;
}

/**
 * Shifts the clocks of an installation's processes at their next start: `shift` by these hours, `behind` by
 * DROPPED_FOR_HOURS, `right` back. `processes` is a part of the path of their script; '' means all. Kafka refuses
 * messages that are over an hour ahead.
 */
export function clock(processes = '') {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-clock-'));
  const file = path.join(folder, 'hours');
  const preload = new URL('./shifted-clock.mjs', import.meta.url).pathname;
  afterAll(() => fs.rmSync(folder, { recursive: true }));
  return {
    environment: { NODE_OPTIONS: `--import=${preload}`, CLOCK_FILE: file, CLOCK_OF: processes },
    shift: (hours: number) => fs.writeFileSync(file, String(hours)),
    behind: () => fs.writeFileSync(file, String(-DROPPED_FOR_HOURS)),
    right: () => fs.rmSync(file),
  };
}

export interface StormLinks {
  readonly name: string;
  readonly slugs: readonly string[];
  readonly hosts: readonly string[];
}

export async function stormLinks({ api }: Target): Promise<StormLinks> {
  const name = freshSlug('storm');
  const hosts = times(STORM_LINKS, (i) => `h${i}-${name}.example.net`);
  const slugs: string[] = [];
  for (let from = 0; from < STORM_LINKS; from += 500) {
    const some = hosts.slice(from, from + 500);
    slugs.push(
      ...(await newSlugs(api, some.length, (i) => ({ destination_url: `https://${some[i]}/`, tags: [name] }))),
    );
  }
  await until(async () => (await count({ api }, name, 'active')) === STORM_LINKS, 60_000);
  return { name, slugs, hosts };
}

async function count({ api }: Pick<Target, 'api'>, name: string, status: string): Promise<number> {
  const { body } = await api('GET', `/api/v1/links?status=${status}&tag=${name}&limit=1`).catch(() => ({ body: {} }));
  return body?.total ?? Number.NaN;
}

/**
 * Lists the links' hosts, and waits until all are flagged. Calls `midway` once half of them are. Resolves to
 * milliseconds.
 */
export async function listAll(target: Target, links: StormLinks, midway?: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await importFeed(target.waypost as TestWaypost, links.hosts.join('\n'), { name: links.name, format: 'hosts' });
  const at = await verdicts(target, [links], 'flagged', midway);
  await sample(target, links, 403);
  return at - startedAt;
}

/** Removes the hosts from the feed. No link changes until they have been off the list for DROPPED_FOR_HOURS. */
export async function drop({ waypost }: Target, { name }: StormLinks): Promise<void> {
  await importFeed(waypost as TestWaypost, `other.${name}.example.net`, { name, format: 'hosts' });
}

/** Waits until all links are active again. Resolves to the milliseconds between the first and the last. */
export async function allCleared(target: Target, storms: readonly StormLinks[]): Promise<number> {
  const startedAt = await verdicts(target, storms, 'active', undefined, 1);
  const at = await verdicts(target, storms, 'active');
  for (const links of storms) await sample(target, links, 302);
  return at - startedAt;
}

/** Resolves to the time when `expected` links, by default all, have this status. */
async function verdicts(
  target: Target,
  storms: readonly StormLinks[],
  status: 'flagged' | 'active',
  midway: () => Promise<void> = async () => {},
  expected = storms.length * STORM_LINKS,
): Promise<number> {
  let disturbed: Promise<void> | undefined;
  for (const giveUpAt = performance.now() + 2 * FLAGGED_WITHIN_MS + 90_000; performance.now() < giveUpAt; ) {
    const counts = await Promise.all(storms.map(({ name }) => count(target, name, status)));
    const have = counts.reduce((sum, one) => sum + one);
    if (have > expected / 2) disturbed ??= midway();
    if (have >= expected) {
      const at = performance.now();
      await disturbed;
      return at;
    }
    await pause(100);
  }
  throw new Error(`not all links are ${status}`);
}

async function sample({ waypost }: Target, { slugs }: StormLinks, status: number): Promise<void> {
  await pause(1_000); // a redirector may use its cache for a moment
  for (let i = 0; i < slugs.length; i += Math.ceil(slugs.length / 50)) {
    expect((await visit(waypost.redirect, `/${slugs[i]}`)).status).toBe(status);
  }
}

export interface Felt {
  readonly visits: number;
  readonly otherAnswers: Record<string, number>;
  readonly visitsP99Ms: number;
  readonly creationsP50Ms: number;
  readonly creationsMaxMs: number;
  readonly listsP50Ms: number;
  readonly revokesMaxMs: number;
  readonly failed: number;
}

/**
 * Measures visitors, creations, lists and revokes of other users while `work` runs. A revoke must stop its link at
 * once.
 */
export async function felt({ waypost, api }: Target, work: () => Promise<void>): Promise<Felt> {
  const slugs = await newSlugs(api, 20);
  const [creations, lists, revokes] = [[], [], []] as [number[], number[], number[]];
  let failed = 0;
  let running = true;
  const ask = async (times: number[], status: number, ...request: Parameters<ApiClient>) => {
    const began = performance.now();
    const answer = await api(...request).catch(() => undefined);
    if (answer?.status === status) times.push(performance.now() - began);
    else failed += 1;
    return answer;
  };
  const load = startLoad(waypost.redirect, slugs, VISITS_PER_SECOND);
  const asking = (async () => {
    for (let round = 0; running; round++) {
      const created = await ask(creations, 201, 'POST', '/api/v1/links', { destination_url: 'https://example.com/' });
      await ask(lists, 200, 'GET', '/api/v1/links?limit=50');
      const slug = created?.body?.link?.slug;
      if (slug !== undefined && round % 4 === 0) {
        const revoked = await ask(revokes, 200, 'POST', `/api/v1/links/${slug}/revoke`);
        if (revoked?.status === 200) expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(410);
      }
      await pause(100);
    }
  })();
  try {
    await work();
  } finally {
    running = false;
    await asking;
    await load.stop();
  }
  const sorted = (times: number[]) => times.sort((a, b) => a - b);
  return {
    visits: load.answered(),
    otherAnswers: load.others(),
    visitsP99Ms: percentile(load.takeTimes(), 0.99),
    creationsP50Ms: percentile(sorted(creations), 0.5),
    creationsMaxMs: sorted(creations).at(-1) ?? Number.NaN,
    listsP50Ms: percentile(sorted(lists), 0.5),
    revokesMaxMs: sorted(revokes).at(-1) ?? Number.NaN,
    failed,
  };
}

export function expectUnharmed({ otherAnswers, failed, revokesMaxMs }: Felt, revokedWithinMs = 1_000): void {
  expect({ otherAnswers, failed }).toEqual({ otherAnswers: {}, failed: 0 });
  expect(revokesMaxMs).toBeLessThan(revokedWithinMs);
}

export function report(what: string, tookMs: number, others: Felt): void {
  const { visits, visitsP99Ms, creationsP50Ms, creationsMaxMs, listsP50Ms, revokesMaxMs, failed } = others;
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  process.stderr.write(
    `feed storm, ${STORM_LINKS} links, ${what}: ${(tookMs / 1_000).toFixed(1)} s; others: ${visits} visits, p99 ${ms(visitsP99Ms)}, ` +
      `creations p50 ${ms(creationsP50Ms)} max ${ms(creationsMaxMs)}, lists p50 ${ms(listsP50Ms)}, revokes max ${ms(revokesMaxMs)}, failed ${failed}\n`,
  );
}
