import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { until } from '@waypost/test-support';
import { product } from '../product.ts';
import { comesTo, expectError, newLink, signalDatabase, timed, times } from '../support.ts';
import { expectEnds, visitorsAround } from './visitors.ts';

const { waypost, api } = product({});

const DESTINATION = { destination_url: 'https://www.wikipedia.org/' };

const visit = (slug: string) => fetch(`${waypost.redirect}/${slug}`, { redirect: 'manual' });

test('Waypost answers visitors within 2.5 s and API clients within 5 s while the database is frozen', async () => {
  const { slug: cachedSlug } = await newLink(api);
  expect((await visit(cachedSlug)).status).toBe(302);

  const signal = signalDatabase(waypost.dataDir);
  signal('SIGSTOP');
  try {
    const cached = await timed(() => visit(cachedSlug));
    expect(cached.value.status).toBe(302);
    expect(cached.ms).toBeLessThan(2_500);

    const unknown = await timed(() => visit('neverSeen'));
    expect(unknown.value.status).toBe(503); // A link that may exist must never be a 404.
    expect(unknown.value.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(unknown.ms).toBeLessThan(2_500);

    const answers = await Promise.all([
      timed(() => api('POST', '/api/v1/links', DESTINATION)),
      timed(() => api('POST', '/api/v1/links', DESTINATION, { 'Idempotency-Key': 'frozen' })),
      timed(() => api('POST', `/api/v1/links/${cachedSlug}/revoke`)),
      timed(() => api('GET', '/api/v1/links')),
      timed(() => api('GET', `/api/v1/links/${cachedSlug}/analytics`)),
      timed(() => api('GET', '/readyz')),
    ]);
    for (const { value, ms } of answers) {
      expect(value.status).toBe(503);
      expect(ms).toBeLessThan(5_000);
    }
    for (const { value } of answers.slice(0, 5)) expectError(value, 503);
  } finally {
    signal('SIGCONT');
  }
  const again = await comesTo(
    () => api('POST', '/api/v1/links', DESTINATION, { 'Idempotency-Key': 'frozen' }),
    { status: 201 },
    30_000,
  );
  const { body } = await api('GET', '/api/v1/links?limit=100');
  const copies = body.data.filter(({ slug }: { slug: string }) => slug === again.body.link.slug);
  expect(copies).toHaveLength(1);
});

test('links end on time for many visitors, also while the database is frozen, and are revoked afterwards', async () => {
  const signal = signalDatabase(waypost.dataDir);
  for (const isFrozen of [false, true]) {
    const end = Date.now() + 1_500;
    const ends_at = new Date(end).toISOString();
    const [visited, unvisited] = [await newLink(api, { ends_at }), await newLink(api, { ends_at })];
    expect((await visit(visited.slug)).status).toBe(302);
    if (isFrozen) signal('SIGSTOP');
    try {
      const around = (slug: string) => visitorsAround(waypost.redirect, 64, slug, end);
      const [ofVisited, ofUnvisited] = await Promise.all([around(visited.slug), around(unvisited.slug)]);
      expectEnds(ofVisited, end);
      expectEnds(ofUnvisited, end, isFrozen ? { before: [302, 503], after: [410, 503] } : {});
    } finally {
      signal('SIGCONT');
    }
    const over = { body: { status: 'revoked', revoked_at: ends_at, updated_at: ends_at } };
    for (const { slug } of [visited, unvisited]) await comesTo(() => api('GET', `/api/v1/links/${slug}`), over, 30_000);
  }
});

test('Waypost restarts a killed database, and loses nothing', async () => {
  const links = await Promise.all(times(20, () => newLink(api)));
  const postmaster = () => {
    const file = path.join(waypost.dataDir, 'postgres/postmaster.pid');
    return fs.existsSync(file) ? Number.parseInt(fs.readFileSync(file, 'utf8'), 10) : Number.NaN;
  };
  const killed = postmaster();
  process.kill(killed, 'SIGKILL');
  expect((await visit(links[0].slug)).status).toBe(302);
  // Until then, connections of the killed server may still answer.
  await until(() => postmaster() > 0 && postmaster() !== killed, 30_000);
  await comesTo(() => api('GET', `/api/v1/links/${links[19].slug}`), { status: 200 }, 30_000);
  for (const { slug } of links) expect((await api('GET', `/api/v1/links/${slug}`)).status).toBe(200);
  await newLink(api);
});
