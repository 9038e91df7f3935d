import { expect, test } from '@jest/globals';
import { pause } from '@waypost/test-support';
import { product } from '../product.ts';
import { comesTo, DESTINATION, expectError, listedUrl, newLink, visit } from '../support.ts';
import { startReceiver } from '../webhook-receiver.ts';

const { waypost, api, newClient } = product();
const receiver = await startReceiver();

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
const update = (slug: string, edit: unknown) => api('PATCH', `/api/v1/links/${slug}`, edit);
const read = async (slug: string) => (await api('GET', `/api/v1/links/${slug}`)).body;
const until = (time: string) => pause(Math.max(0, Date.parse(time) - Date.now()));
const HOUR_MS = 3_600_000;
const page = async (path: string) => (await fetch(`${waypost.redirect}/${path}`)).text();

test('a link ends at its time: visitors at once, the API within 5 s, webhooks with the cause', async () => {
  await api('POST', '/api/v1/webhooks', { url: receiver.url, events: ['link.revoked'] });
  const ends_at = inMs(2_000);
  const link = await newLink(api, { ends_at });
  const flagged = await newLink(api, { ends_at, destination_url: await listedUrl(waypost) });
  expect(link.ends_at).toBe(ends_at);
  expect((await visit(waypost.redirect, `/${link.slug}`)).status).toBe(302);
  await until(ends_at);
  for (const { slug } of [link, flagged]) {
    expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(410);
    expect(await page(slug)).toContain('ended as planned');
    expectError(await api('POST', `/api/v1/links/${slug}/revoke`), 400);
    expectError(await update(slug, { ends_at: null }), 400, ['ends_at']);
  }
  const over = { status: 'revoked', threat_type: null, revoked_at: ends_at, updated_at: ends_at };
  for (const each of [link, flagged]) await comesTo(() => read(each.slug), { ...each, ...over }, 5_000);
  await comesTo(() => receiver.received.length, 2, 30_000);
  for (const { message } of receiver.received)
    expect(message).toMatchObject({
      type: 'link.revoked',
      timestamp: ends_at,
      data: { status: 'revoked', cause: 'ended' },
    });
  expectError(await api('POST', '/api/v1/links', { destination_url: DESTINATION, custom_slug: link.slug }), 409);
  expect((await visit(waypost.redirect, `/${link.slug}`, { headers: { accept: 'application/json' } })).status).toBe(
    410,
  );
});

test('an end can be moved and removed until then, and an earlier revoke is an ordinary one', async () => {
  const [moved, endless, revoked] = [
    await newLink(api, { ends_at: inMs(2_500) }),
    await newLink(api, { ends_at: inMs(2_500) }),
    await newLink(api, { ends_at: inMs(2_500) }),
  ];
  const later = inMs(HOUR_MS);
  const { status, body } = await update(moved.slug, { ends_at: later });
  expect([status, body]).toEqual([200, { ...moved, ends_at: later, updated_at: body.updated_at }]);
  expect((await update(endless.slug, { ends_at: null })).body.ends_at).toBeNull();
  const over = (await api('POST', `/api/v1/links/${revoked.slug}/revoke`)).body;
  expect(over).toMatchObject({ status: 'revoked', ends_at: revoked.ends_at });
  await until(moved.ends_at);
  await pause(1_500);
  for (const { slug } of [moved, endless]) {
    expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(302);
    expect((await read(slug)).status).toBe('active');
  }
  expect(await read(revoked.slug)).toEqual(over);
  expect(await page(revoked.slug)).not.toContain('as planned');
  expect(await page(`${moved.slug}+`)).toContain('It ends on');
});

test.each<[what: string, ends_at: unknown]>([
  ['a time that has passed', inMs(-1)],
  ['more than ten years ahead', inMs(10.1 * 365.25 * 24 * HOUR_MS)],
  ['a time without a zone', '2030-01-01T00:00:00'],
  ['a day', '2030-01-01'],
  ['30 February', '2030-02-30T00:00:00Z'],
  ['a number', 1_900_000_000],
  ['an empty text', ''],
])('an end may not be %s', async (_what, ends_at) => {
  const link = { destination_url: DESTINATION, ends_at };
  expectError(await api('POST', '/api/v1/links', link), 400, ['ends_at']);
  expectError(await api('POST', '/api/v1/links?dry_run=true', link), 400, ['ends_at']);
  expectError(await api('POST', '/api/v1/links/bulk', { links: [{ ...link, ends_at: null }, link, link] }), 400, [
    'links[1].ends_at',
    'links[2].ends_at',
  ]);
  expectError(await update((await newLink(api)).slug, { ends_at }), 400, ['ends_at']);
});

test('an end has any zone, and a repeated creation is answered as before, also after the end', async () => {
  const own = await newClient();
  const body = { destination_url: DESTINATION, ends_at: inMs(1_000).replace('Z', '+00:00') };
  const headers = { 'Idempotency-Key': crypto.randomUUID() };
  const first = await own('POST', '/api/v1/links', body, headers);
  expect([first.status, first.body.link.ends_at]).toEqual([201, body.ends_at.replace('+00:00', 'Z')]);
  await until(first.body.link.ends_at);
  const again = await own('POST', '/api/v1/links', body, headers);
  expect([again.status, again.body]).toEqual([201, first.body]);
});

test('lists sort by the end, those without last', async () => {
  const own = await newClient();
  const ends = [3, 1, 2].map((hours) => inMs(hours * HOUR_MS));
  for (const ends_at of [null, ...ends]) await newLink(own, { ends_at });
  for (const order of ['asc', 'desc'] as const) {
    const { body } = await own('GET', `/api/v1/links?sort=ends_at&order=${order}`);
    const sorted = order === 'asc' ? ends.toSorted() : ends.toSorted().toReversed();
    expect(body.data.map((link: { ends_at: string | null }) => link.ends_at)).toEqual([...sorted, null]);
  }
});
