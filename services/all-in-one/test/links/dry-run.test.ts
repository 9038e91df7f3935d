import { expect, test } from '@jest/globals';
import { product } from '../product.ts';
import { anyLink, DESTINATION, expectError, freshSlug, listedUrl, times } from '../support.ts';
import type { Json } from '../waypost-process.ts';

const { waypost, api, newClient, createsNothing } = product();

const ONE = '/api/v1/links?dry_run=true';
const MANY = '/api/v1/links/bulk?dry_run=true';
const BODY = { destination_url: DESTINATION };

test('a dry run answers 200 in the shape of a creation, with null for a generated slug', async () => {
  const { status, headers, body } = await createsNothing(() => api('POST', ONE, { ...BODY, tags: [' a ', 'a'] }));
  expect(status).toBe(200);
  expect(body).toEqual({ link: anyLink({ slug: null, destination_url: DESTINATION, tags: ['a'] }), short_url: null });
  expect(Math.abs(Date.parse(body.link.created_at) - Date.now())).toBeLessThan(5_000);
  expect(body.link.updated_at).toBe(body.link.created_at);
  expect([headers.get('x-ratelimit-used'), headers.get('retry-after')]).toEqual(['0', null]);
});

test('a dry run shows a custom slug and its short URL, leaves the slug free, and uses no quota', async () => {
  const custom_slug = freshSlug();
  const body = { ...BODY, custom_slug };
  const one = await createsNothing(() => api('POST', ONE, body));
  const many = await createsNothing(() => api('POST', MANY, { links: [BODY, body] }));
  expect([many.status, many.body.total_created]).toEqual([200, 0]);
  expect(many.body.links).toEqual([
    { link: anyLink({ slug: null }), short_url: null },
    { link: anyLink({ slug: custom_slug }), short_url: one.body.short_url },
  ]);
  expect(many.headers.get('x-ratelimit-used')).toBe('0');
  const created = await api('POST', '/api/v1/links', body);
  expect([created.status, created.body.short_url]).toEqual([201, one.body.short_url]);
});

test('a dry run scans the destination: a threat is flagged, with its warning', async () => {
  const destination_url = await listedUrl(waypost, 'phishing');
  const one = await createsNothing(() => api('POST', ONE, { destination_url }));
  expect([one.status, one.body.link.status, one.body.link.threat_type]).toEqual([200, 'flagged', 'phishing']);
  expect(one.body.warning).toEqual({
    slug: null,
    destination_url,
    threat_type: 'phishing',
    message: 'The URL is suspected of phishing. A link to it would not redirect.',
  });
  const many = await createsNothing(() => api('POST', MANY, { links: [BODY, { destination_url }] }));
  expect(many.body.warnings.map((warning: Json) => warning.destination_url)).toEqual([destination_url]);
  expect(many.body.warnings[0].message).toBe(one.body.warning.message);
});

test('a dry run makes every check', async () => {
  expectError(await api('POST', ONE, { destination_url: 'x', custom_slug: 'api' }), 400, [
    'custom_slug',
    'destination_url',
  ]);
  expectError(await api('POST', ONE, '{'), 400);
  expectError(await api('POST', MANY, { links: times(501, () => BODY) }), 400, ['links']);
  const custom_slug = freshSlug();
  await api('POST', '/api/v1/links', { ...BODY, custom_slug });
  for (const [path, body] of [
    [ONE, { ...BODY, custom_slug }],
    [MANY, { links: [BODY, { ...BODY, custom_slug }] }],
  ] as const) {
    const answer = await api('POST', path, body);
    expectError(answer, 409);
    expect(answer.body.details.taken_slugs).toEqual([custom_slug]);
  }
  expectError(await (await newClient('read'))('POST', ONE, BODY), 403);
  const full = await newClient('write', { limit: 1 });
  await full('POST', '/api/v1/links', BODY);
  expectError(await full('POST', ONE, BODY), 429);
});

test('a dry run neither stores nor replays an Idempotency-Key, and refuses a malformed one', async () => {
  const headers = { 'Idempotency-Key': crypto.randomUUID() };
  expect((await api('POST', ONE, BODY, headers)).status).toBe(200);
  const created = await api('POST', '/api/v1/links?dry_run=false', BODY, headers);
  expect([created.status, created.headers.get('idempotency-replayed')]).toEqual([201, null]);
  const dry = await api('POST', ONE, BODY, headers);
  expect([dry.status, dry.headers.get('idempotency-replayed'), dry.body.link.slug]).toEqual([200, null, null]);
  expectError(await api('POST', ONE, BODY, { 'Idempotency-Key': 'k'.repeat(256) }), 400, ['Idempotency-Key']);
});

test.each(['dry_run=', 'dry_run=1', 'dry_run=TRUE', 'dry_run=true&dry_run=false', 'dryRun=true'])(
  '?%s is refused: the error names the parameter, and nothing is created',
  async (query) => {
    for (const path of ['/api/v1/links', '/api/v1/links/bulk']) {
      const body = path.endsWith('bulk') ? { links: [BODY] } : BODY;
      expectError(await createsNothing(() => api('POST', `${path}?${query}`, body)), 400, [query.split('=')[0]!]);
    }
  },
);

test('above 10,000 links, dry runs are 429 with Retry-After, and creations go on with the same quota', async () => {
  const client = await newClient();
  const links = times(500, () => BODY);
  const check = () => client('POST', MANY, { links });
  for (let call = 0; call < 20; call++) expect((await check()).status).toBe(200);
  const refused = await check();
  expectError(refused, 429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(10);
  expect(refused.headers.get('x-ratelimit-used')).toBe('0');
  const created = await client('POST', '/api/v1/links', BODY);
  expect([created.status, created.headers.get('x-ratelimit-used')]).toEqual([201, '1']);
});
