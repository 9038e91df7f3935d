import { expect, test } from '@jest/globals';
import { pause } from '@waypost/test-support';
import { product } from '../product.ts';
import { clicksOf, DESTINATION, eventually, newLink, newSlugs, times, visit } from '../support.ts';
import { apiClient } from '../waypost-process.ts';
import { random, visitors } from './visitors.ts';

const { waypost, api, apiKey } = product({});

const SEED = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000);

test(`Waypost keeps every promise over ten kills at random moments under load (FAULT_SEED=${SEED})`, async () => {
  const chance = random(SEED);
  const answered = new Map<string, number>();
  const possible = new Map<string, number>();
  const createdLinks = new Set<string>();
  const revokedLinks = new Set<string>();
  const firstAnswer = <T>(send: () => Promise<T>) => eventually(() => send().catch(() => undefined), Boolean);

  for (let round = 0; round < 10; round++) {
    const slugs: string[] = (await Promise.all(times(5, () => newLink(api)))).map(({ slug }) => slug);
    for (const slug of slugs) createdLinks.add(slug);
    const killAfterMs = 100 + chance() * 900;
    // These end while nothing runs.
    const ends_at = new Date(Date.now() + killAfterMs + 200).toISOString();
    const ending = await newSlugs(api, 100, () => ({ ends_at, tags: [`round-${round}`] }));
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
        const created = await api('POST', '/api/v1/links', { destination_url: DESTINATION }).catch(() => undefined);
        if (created?.status !== 201) continue;
        const { slug } = created.body.link;
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
    await pause(Math.max(0, Date.parse(ends_at) - Date.now()));
    const [, visited, list] = await Promise.all([
      waypost.restart(),
      firstAnswer(() => visit(waypost.redirect, `/${ending[0]}`)),
      firstAnswer(() => apiClient(waypost.api, apiKey())('GET', `/api/v1/links?tag=round-${round}&limit=100`)),
    ]);
    expect(visited?.status).toBe(410);
    const over = { status: 'revoked', revoked_at: ends_at, updated_at: ends_at };
    expect(list?.body.data).toEqual(ending.map(() => expect.objectContaining(over)));
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
    // Sixteen requests ran at the kill. The log may have their clicks although their answers were cut off.
    expect(counted).toBeLessThanOrEqual(Math.min(possible.get(slug)!, atLeast + 16));
  }
  expect(revokedLinks.size).toBeGreaterThan(0);
});
