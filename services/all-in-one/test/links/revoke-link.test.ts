import http from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { pause, until } from '@waypost/test-support';
import { product } from '../product.ts';
import { DESTINATION, expectError, ISO_TIME, listedUrl, newLink, newSlugs, times, visit } from '../support.ts';

const { waypost, api, apiKey, newClient } = product();

const revoke = (slug: string) => api('POST', `/api/v1/links/${slug}/revoke`);

test('a revoke answers 200 with the Link, revoked at the time of its last update', async () => {
  const link = await newLink(api, { tags: ['kept'] });
  const { status, body } = await revoke(link.slug);
  expect(status).toBe(200);
  expect(body).toEqual({
    ...link,
    status: 'revoked',
    revoked_at: expect.stringMatching(ISO_TIME),
    updated_at: body.revoked_at,
  });
  expect(body.revoked_at >= link.created_at).toBe(true);
  expect((await api('GET', `/api/v1/links/${link.slug}`)).body).toEqual(body);
});

test('a revoke is final, and refuses a flagged link without changing it', async () => {
  const { slug } = await newLink(api);
  const revoked = (await revoke(slug)).body;
  await pause(5);
  for (const link of [revoked, await newLink(api, { destination_url: await listedUrl(waypost) })]) {
    expectError(await revoke(link.slug), 400);
    expect((await api('GET', `/api/v1/links/${link.slug}`)).body).toEqual(link);
  }
});

test("a revoke hides another account's link in any state", async () => {
  const other = await newClient();
  const { slug } = await newLink(api);
  expectError(await other('POST', `/api/v1/links/${slug}/revoke`), 404);
  await revoke(slug);
  expectError(await other('POST', `/api/v1/links/${slug}/revoke`), 404);
});

test.each([
  ['a wrong content type', '<xml/>', { 'Content-Type': 'text/xml' }],
  ['broken JSON', '{', { 'Content-Type': 'application/json' }],
  ['three megabytes', 'x'.repeat(3_000_000), {}],
])('a revoke ignores a body with %s', async (_what, body, headers: Record<string, string>) => {
  const { slug } = await newLink(api);
  const response = await fetch(`${waypost.api}/api/v1/links/${slug}/revoke`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey()}`, ...headers },
    body: Buffer.from(body),
  });
  expect([response.status, ((await response.json()) as { status: string }).status]).toEqual([200, 'revoked']);
});

test('a revoke has no rate limit and uses no quota', async () => {
  const own = await newClient('read,write', { limit: 2 });
  const slugs = await newSlugs(own, 2);
  for (const slug of slugs) expect((await own('POST', `/api/v1/links/${slug}/revoke`)).status).toBe(200);
  const refused = await own('POST', '/api/v1/links', { destination_url: DESTINATION });
  expectError(refused, 429);
  expect(refused.headers.get('x-ratelimit-used')).toBe('2');
});

describe('a revoke', () => {
  test('stops every redirect that begins after its answer, even under six busy clients', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 6 });
    for (let round = 0; round < 5; round++) {
      const { slug } = await newLink(api);
      const seen: { began: number; status: number; location: string | undefined }[] = [];
      let more = true;
      const hammering = times(6, async () => {
        while (more) {
          const began = performance.now();
          const { status, headers } = await visit(waypost.redirect, `/${slug}`, { agent });
          seen.push({ began, status, location: headers.location });
        }
      });
      await until(() => seen.some(({ status }) => status === 302));
      await pause(60);
      expect((await revoke(slug)).status).toBe(200);
      const revokedAt = performance.now();
      const after = () => seen.filter(({ began }) => began > revokedAt);
      await until(() => after().length > 0);
      await pause(60);
      more = false;
      await Promise.all(hammering);
      expect(after().filter(({ status, location }) => status !== 410 || location !== undefined)).toEqual([]);
    }
    agent.destroy();
  });
});
