/**
 * Runs two analytics-ingest processes. One joins under load, one is killed, and finally both read the whole topic
 * again. Each click must count once, and no analytics answer may change.
 */
import { once } from 'node:events';
import { afterAll, expect, test } from '@jest/globals';
import { readAll, withAdmin } from '@waypost/adapter-kafka/under-test';
import { TOPICS } from '@waypost/domain';
import { pause, until } from '@waypost/test-support';
import { clicksOf, comesTo, eventually, metricOf, newSlugs } from '../../support.ts';
import type { Json } from '../../waypost-process.ts';
import { type Load, startLoad } from './load.ts';
import { stackUnderTest, startReplica } from './stack-under-test.ts';

const GROUP = 'analytics-ingest.clicks';
const AGENTS = [
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
  'Googlebot/2.1 (+http://www.google.com/bot.html)',
];

let load: Load | undefined;
afterAll(() => load?.stop());
// The test is the trusted proxy in front of the balancer, so visitors can choose their addresses.
const { stack, api } = stackUnderTest({ TRUSTED_PROXIES: '127.0.0.1/32' });

/** Resolves to the number of clicks that this process stored; 0 if it does not answer. */
const stored = async (internal: string) =>
  (await metricOf(internal, 'waypost_ingest_clicks_stored_total').catch(() => undefined)) ?? 0;

async function figures(slugs: readonly string[]): Promise<Json[]> {
  const answers: Json[] = [];
  for (const slug of slugs) {
    for (const period of ['7d', '30d', '90d']) {
      for (const bots of ['include', 'exclude']) {
        const { status, body } = await api('GET', `/api/v1/links/${slug}/analytics?period=${period}&bots=${bots}`);
        expect(status).toBe(200);
        answers.push(body);
      }
    }
  }
  return answers;
}

const members = () =>
  withAdmin(stack.kafka, async (admin) => (await admin.describeGroups([GROUP])).groups[0]?.members.length ?? 0);

test('figures stay the same when a consumer joins, one is killed, or both read the topic again', async () => {
  const slugs = await newSlugs(api, 5);
  const varied = new Map<string, number>();
  for (let i = 0; i < 60; i++) {
    const slug = slugs[i % slugs.length]!;
    const { status } = await fetch(`${stack.redirect}/${slug}`, {
      redirect: 'manual',
      headers: {
        'User-Agent': AGENTS[i % AGENTS.length]!,
        ...(i % 4 === 0 ? {} : { Referer: `https://site-${i % 4}.example/page` }),
        'X-Forwarded-For': `192.0.2.${i % 7}`,
      },
    });
    expect(status).toBe(302);
    varied.set(slug, (varied.get(slug) ?? 0) + 1);
  }

  load = startLoad(stack.redirect, slugs, 300);
  await pause(2_000);
  const joined = await startReplica(stack, 'analytics-ingest');
  await comesTo(members, 2);
  await pause(4_000);
  // Both processes must have stored clicks.
  await until(async () => (await stored(joined.url)) > 0, 30_000);
  stack.kill('analytics-ingest');
  await pause(3_000);
  await load.stop();
  expect(load.others()).toEqual({});

  const killedAt = performance.now();
  for (const slug of slugs) {
    const expected = (load.bySlug().get(slug) ?? 0) + varied.get(slug)!;
    await comesTo(() => clicksOf(api, slug), expected, 90_000);
  }
  process.stderr.write(
    `consumers: ${load.answered()} redirects, all counted ${Math.round(performance.now() - killedAt)} ms after the load\n`,
  );
  const before = await figures(slugs);
  for (const answer of before) {
    expect(answer.unique_visitors).toBeGreaterThan(1);
    for (const list of ['top_referrers', 'top_devices', 'top_browsers']) expect(answer[list].length).toBeGreaterThan(1);
  }

  // After a reset of the offsets, both processes read the whole topic again.
  const ended = once(joined.process, 'exit');
  joined.process.kill('SIGTERM');
  await ended;
  await comesTo(members, 0);
  const stem = { groupId: GROUP, topic: TOPICS.clicks };
  await withAdmin(stack.kafka, (admin) => admin.resetOffsets({ ...stem, earliest: true }));
  const again = await startReplica(stack, 'analytics-ingest');
  stack.letStart('analytics-ingest');
  const ingest = stack.services.find(({ name }) => name === 'analytics-ingest')!;
  const all = load.answered() + 60;
  const storedAgain = async () => (await stored(again.url)) + (await stored(ingest.internal));
  expect(await eventually(storedAgain, (clicks) => clicks >= all, 90_000)).toBeGreaterThanOrEqual(all);
  expect(await figures(slugs)).toEqual(before);
  await pause(2_000);
  expect(await figures(slugs)).toEqual(before);
  expect(await readAll(stack.kafka, 'clicks.parked')).toEqual([]);
}, 400_000);
