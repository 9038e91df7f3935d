/** `kill -9`: every answered 302 counts once, no created link is missing, no revoke is undone. */
import { expect, test } from '@jest/globals';
import { pause } from '@waypost/test-support';
import { product } from '../product.ts';
import { clicksOf, comesTo, DESTINATION, eventually, newLink, times } from '../support.ts';
import { random, visitors } from './visitors.ts';

const { waypost, api } = product({});

test('counts exactly 2,000 of 2,000 visits over 32 connections after a kill right after the last answer', async () => {
  const { slug } = await newLink(api);
  let left = 2_000;
  const visits = await visitors(waypost.redirect, 32, () => (left-- > 0 ? slug : undefined));
  await waypost.kill();
  expect(visits.filter(({ status }) => status === 302)).toHaveLength(2_000);
  await waypost.restart();
  await comesTo(() => clicksOf(api, slug), 2_000);
  // Counted clicks stay counted, and replays do not add to them.
  await waypost.kill();
  await waypost.restart();
  await pause(3_000);
  expect(await clicksOf(api, slug)).toBe(2_000);
});

const SEED = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000);

test(`keeps every promise over ten kills at random moments under load (FAULT_SEED=${SEED})`, async () => {
  const chance = random(SEED);
  const answered = new Map<string, number>();
  const possible = new Map<string, number>();
  const createdLinks = new Set<string>();
  const revokedLinks = new Set<string>();

  for (let round = 0; round < 10; round++) {
    const slugs: string[] = (await Promise.all(times(5, () => newLink(api)))).map(({ slug }) => slug);
    for (const slug of slugs) createdLinks.add(slug);
    const killAfterMs = 100 + chance() * 900;
    let running = true;
    const started = new Map<string, number>();
    const visiting = visitors(waypost.redirect, 16, () => {
      if (!running) return undefined;
      const slug = slugs[Math.floor(chance() * slugs.length)]!;
      started.set(slug, (started.get(slug) ?? 0) + 1);
      return slug;
    });
    const changing = (async () => {
      while (running) {
        const made = await api('POST', '/api/v1/links', { destination_url: DESTINATION }).catch(() => undefined);
        if (made?.status !== 201) continue;
        const { slug } = made.body.link;
        createdLinks.add(slug);
        if (chance() < 0.5) continue;
        const revoked = await api('POST', `/api/v1/links/${slug}/revoke`).catch(() => undefined);
        if (revoked?.status === 200) revokedLinks.add(slug);
      }
    })();
    await pause(killAfterMs);
    await waypost.kill();
    running = false;
    for (const { slug, status } of await visiting) {
      if (status === 302) answered.set(slug, (answered.get(slug) ?? 0) + 1);
    }
    for (const [slug, count] of started) possible.set(slug, count);
    await changing;
    await waypost.restart();
  }

  for (const slug of createdLinks) {
    const { status, body } = await api('GET', `/api/v1/links/${slug}`);
    expect([slug, status]).toEqual([slug, 200]);
    if (!revokedLinks.has(slug)) continue;
    expect([slug, body.status]).toEqual([slug, 'revoked']);
    const visited = await fetch(`${waypost.redirect}/${slug}`, { redirect: 'manual' });
    expect(visited.status).toBe(410);
  }
  for (const [slug, atLeast] of answered) {
    const counted = await eventually(
      () => clicksOf(api, slug),
      (count) => count >= atLeast,
      20_000,
    );
    expect(counted).toBeGreaterThanOrEqual(atLeast);
    // Sixteen requests were in flight at the kill: their clicks may be in the log although their answers were cut off.
    expect(counted).toBeLessThanOrEqual(Math.min(possible.get(slug)!, atLeast + 16));
  }
  expect(revokedLinks.size).toBeGreaterThan(0);
});
