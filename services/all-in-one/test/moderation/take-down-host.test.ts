import { expect, test } from '@jest/globals';
import { product } from '../product.ts';
import { expectError, freshHost, freshSlug, newLink, newSlug, newSlugs, visit } from '../support.ts';
import { apiClient, type Json } from '../waypost-process.ts';
import { administrator } from './administrator.ts';

const { waypost } = product();
const { admin, entriesAbout } = administrator(waypost);

const PHISHING = { threat_type: 'phishing', reason: 'Copies a <i>bank</i>.' };
const preview = (slug: string) => admin('GET', `/api/v1/admin/links/${slug}/same-host`);
const takeDown = (slug: string, body: Json = PHISHING) =>
  admin('POST', `/api/v1/admin/links/${slug}/same-host/take-down`, body);
/** Calls until all are done, as clients do. */
async function takeDownAll(slug: string): Promise<number> {
  let count = 0;
  for (let after: string | null = null; ; ) {
    const { status, body }: Json = await takeDown(slug, { ...PHISHING, after });
    expect(status).toBe(200);
    count += body.taken_down;
    after = body.next;
    if (after === null) return count;
  }
}
const statusOf = async (slug: string) => (await visit(waypost.redirect, `/${slug}`)).status;

test('a take-down of a host stops every link of this account to it at once, and no other', async () => {
  const [one, two] = [await waypost.newKey(), await waypost.newKey()];
  const [api, other] = [apiClient(waypost.api, one.key), apiClient(waypost.api, two.key)];
  const host = freshHost('bad');
  const spellings = [`https://${host}/a?b#c`, `http://${host.toUpperCase()}:8080/`, `HTTPS://${host}./x`];
  const many = [0, 300].map((from) => newSlugs(api, 300, (i) => ({ destination_url: `https://${host}/${from + i}` })));
  const bad = [
    ...(await Promise.all(many)).flat(),
    ...(await newSlugs(api, 3, (i) => ({ destination_url: spellings[i]! }))),
  ];
  const near = [`https://sub.${host}/`, `https://x${host}/`, `https://www.wikipedia.org/?to=${host}`];
  const good = await newSlugs(api, 3, (i) => ({ destination_url: near[i]! }));
  const stranger = await newSlug(other, { destination_url: `https://${host}/` });
  const [revoked, single] = bad as [string, string];
  await api('POST', `/api/v1/links/${revoked}/revoke`);
  await admin('POST', `/api/v1/admin/links/${single}/take-down`, { threat_type: 'spam', reason: 'Earlier.' });
  for (const slug of [bad[5]!, bad.at(-1)!]) expect(await statusOf(slug)).toBe(302);

  const { body } = await preview(bad[5]!);
  expect(body).toMatchObject({ owner: one.email, host, count: 601 });
  expect(body.links).toHaveLength(10);
  expect(await statusOf(bad[5]!)).toBe(302);
  expect(await takeDownAll(bad[5]!)).toBe(601);
  for (const slug of [...bad.slice(1, 20), ...bad.slice(-10)]) expect(await statusOf(slug)).toBe(403);
  expect(await statusOf(revoked)).toBe(410);
  for (const slug of [...good, stranger]) expect(await statusOf(slug)).toBe(302);
  expect((await api('GET', '/api/v1/facets')).body.statuses).toEqual({ active: 3, flagged: 602, revoked: 1 });

  const link = (slug: string) => api('GET', `/api/v1/links/${slug}`);
  expect((await link(bad.at(-1)!)).body).toMatchObject({ threat_type: 'phishing', take_down_reason: PHISHING.reason });
  expect((await link(single)).body).toMatchObject({ threat_type: 'spam', take_down_reason: 'Earlier.' });
  expect((await preview(bad[5]!)).body).toMatchObject({ count: 0, links: [] });
  expect(await takeDownAll(bad[5]!)).toBe(0);
  expect(await entriesAbout(bad.at(-1)!)).toMatchObject([
    { action: 'link.taken_down', outcome: 'done', account: one.email, detail: `phishing: ${PHISHING.reason}` },
  ]);
  expect((await entriesAbout(bad[5]!)).map(({ action }) => action)).toEqual(['link.taken_down', 'link.read']);
});

test('a review clears one of these links alone', async () => {
  const { key } = await waypost.newKey();
  const api = apiClient(waypost.api, key);
  const destination_url = `https://${freshHost('two')}/`;
  const [one = '', two = ''] = await newSlugs(api, 2, () => ({ destination_url }));
  expect(await takeDownAll(one)).toBe(2);
  await admin('POST', `/api/v1/admin/links/${one}/review`, { decision: 'clear', reason: 'Was wrong.' });
  expect([await statusOf(one), await statusOf(two)]).toEqual([302, 403]);
});

test('it needs an administrator, a link, a type and a reason', async () => {
  const { key } = await waypost.newKey();
  const api = apiClient(waypost.api, key);
  const { slug } = await newLink(api);
  const path = `/api/v1/admin/links/${slug}/same-host`;
  expectError(await api('GET', path), 403);
  expectError(await api('POST', `${path}/take-down`, PHISHING), 403);
  for (const none of [freshSlug(), '%00', 'x'.repeat(5_000)]) {
    expectError(await preview(none), 404);
    expectError(await takeDown(none), 404);
  }
  expectError(await takeDown(slug, {}), 400, ['reason', 'threat_type']);
  expectError(await takeDown(slug, { ...PHISHING, after: 5 }), 400, ['after']);
  expect(await statusOf(slug)).toBe(302);
});
