/**
 * Two analytics-ingest processes: one joins under load, one is killed, and finally both read the whole topic again from
 * its start. Each click shows once, and no figure of any analytics answer changes.
 */
import { once } from 'node:events';
import { afterAll, expect, test } from '@jest/globals';
import { TOPICS } from '@waypost/domain';
import { pause, until } from '@waypost/test-support';
import { readAll, withAdmin } from '../../../../../libs/adapter-kafka/test/kafka-under-test.ts';
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
// Visitors name their own addresses, because this test is the trusted proxy in front of the balancer.
const { stack, api } = stackUnderTest({ TRUSTED_PROXIES: '127.0.0.1/32' });

/** By this process; none while nobody answers there. */
const stored = async (internal: string) =>
  (await metricOf(internal, 'waypost_ingest_clicks_stored_total').catch(() => undefined)) ?? 0;

/** Every possible analytics answer. */
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

test('a consumer joins, one is killed, the topic is read again: the figures stay the same', async () => {
  const slugs = await newSlugs(api, 5);
  // Clicks that differ in everything that is counted.
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
  // Both took part.
  await until(async () => (await stored(joined.url)) > 0, 30_000);
  stack.kill('analytics-ingest');
  await pause(3_000);
  await load.stop();
  expect(load.others()).toEqual({});

  const killedAt = performance.now();
  for (const slug of slugs) {
    const wanted = (load.bySlug().get(slug) ?? 0) + varied.get(slug)!;
    await comesTo(() => clicksOf(api, slug), wanted, 90_000);
  }
  process.stderr.write(
    `consumers: ${load.answered()} redirects, all counted ${Math.round(performance.now() - killedAt)} ms after the load\n`,
  );
  const before = await figures(slugs);
  for (const answer of before) {
    expect(answer.unique_visitors).toBeGreaterThan(1);
    for (const list of ['top_referrers', 'top_devices', 'top_browsers']) expect(answer[list].length).toBeGreaterThan(1);
  }

  // Both read everything again, from the start.
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
