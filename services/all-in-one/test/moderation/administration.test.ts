import { describe, expect, test } from '@jest/globals';
import { freshEmail } from '../people.ts';
import { product } from '../product.ts';
import { expectError, freshSlug, ISO_TIME, importFeed, newSlug, queriesOf, times, UUID, visit } from '../support.ts';
import { apiClient, type Json } from '../waypost-process.ts';
import { administrator } from './administrator.ts';

const { waypost, newClient } = product();
const { admin, entriesAbout, actionsAbout } = administrator(waypost);
const client = (key: string) => apiClient(waypost.api, key);

test.each([
  'GET /admin/accounts',
  'POST /admin/accounts',
  'PUT /admin/accounts/a@example.org/suspension',
  'DELETE /admin/accounts/a@example.org/suspension',
  'GET /admin/accounts/a@example.org/keys',
  'POST /admin/accounts/a@example.org/keys',
  'DELETE /admin/keys/x',
  'GET /admin/links/abcdefg',
  'POST /admin/links/abcdefg/take-down',
  'GET /admin/audit',
  'GET /admin/feeds',
  'GET /admin/health',
])('%s is for administrators: the scope alone does not make one', async (endpoint) => {
  const [method, path] = endpoint.split(' ') as [string, string];
  expectError(await apiClient(waypost.api)(method, `/api/v1${path}`), 401);
  for (const scopes of ['read,write', 'admin'])
    expectError(await (await newClient(scopes))(method, `/api/v1${path}`), 403);
});

describe('accounts', () => {
  test('are created once, with a link to sign in on request', async () => {
    const email = freshEmail();
    const created = await admin('POST', '/api/v1/admin/accounts', { email, sign_in_link: true });
    expect([created.status, created.body]).toEqual([
      201,
      {
        id: expect.stringMatching(UUID),
        email,
        admin: false,
        sign_in_url: expect.stringMatching(/\/sign-in\/[\w-]{43}$/),
        expires_at: expect.stringMatching(ISO_TIME),
      },
    ]);
    const path = new URL(created.body.sign_in_url).pathname;
    const signIn = () => fetch(`${waypost.api}${path}`, { method: 'POST', redirect: 'manual' });
    expect([(await signIn()).status, (await signIn()).status]).toEqual([303, 410]);
    expectError(await admin('POST', '/api/v1/admin/accounts', { email: email.toUpperCase() }), 409);
    const other = await admin('POST', '/api/v1/admin/accounts', { email: freshEmail(), admin: null });
    expect(other.body).toMatchObject({ admin: false, sign_in_url: null, expires_at: null });
    expect(await actionsAbout(email)).toEqual(['session.started', 'account.sign_in_link_made', 'account.created']);
    expect(JSON.stringify(await entriesAbout(email))).not.toContain(path.slice(9));
  });

  test('with a bad address are refused', async () => {
    for (const email of ['', `${'a'.repeat(300)}@example.org`, 'a\u0000@example.org'])
      expectError(await admin('POST', '/api/v1/admin/accounts', { email }), 400, ['email']);
    expectError(await admin('POST', '/api/v1/admin/accounts', { email: freshEmail(), admin: 'yes' }), 400, ['admin']);
  });

  test('are listed page by page, found by a part of their address, and filtered by their state', async () => {
    const mark = crypto.randomUUID();
    const emails = times(5, (i) => `${i}${mark}%@example.org`);
    for (const email of emails) await waypost.admin('create-account', { email });
    await admin('PUT', `/api/v1/admin/accounts/${encodeURIComponent(emails[2]!)}/suspension`, { reason: 'x' });
    const list = async (query: string): Promise<Json> => (await admin('GET', `/api/v1/admin/accounts?${query}`)).body;
    const matches = await list(`search=${mark.toUpperCase()}%25&limit=2&page=2`);
    expect(matches).toMatchObject({ total: 5, page: 2, limit: 2, total_pages: 3 });
    expect(matches.data.map(({ email }: Json) => email)).toEqual([emails[2], emails[1]]);
    expect(matches.data[1]).toEqual({
      id: expect.stringMatching(UUID),
      email: emails[1],
      admin: false,
      creations_per_hour: null,
      suspended_at: null,
      suspension_reason: null,
      created_at: expect.stringMatching(ISO_TIME),
    });
    expect(await list(`search=${mark}&status=suspended`)).toMatchObject({ total: 1, data: [{ email: emails[2] }] });
    expect(await list(`search=${mark}&status=active`)).toMatchObject({ total: 4 });
    expect(await list(`search=${mark}&page=999999999999999`)).toMatchObject({ total: 5, data: [] });
    for (const [query, field] of queriesOf([
      ['page', ['0']],
      ['search', ['', '%00', 'a'.repeat(300)]],
      ['status', ['gone']],
    ])) {
      expectError(await admin('GET', `/api/v1/admin/accounts?${query}`), 400, [field]);
    }
  });
});

test('the commands list, suspend, resume and take down as the API does', async () => {
  const { key, email } = await waypost.newKey();
  const slug = await newSlug(client(key));
  const taken = await waypost.admin<Json>('take-down', { slug, 'threat-type': 'spam', reason: ' Junk. ' });
  expect(taken).toMatchObject({ slug, status: 'flagged', take_down_reason: 'Junk.' });
  expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(403);
  const suspended = await waypost.admin<Json>('suspend-account', { email });
  expect(suspended).toEqual({ email, suspended_at: expect.stringMatching(ISO_TIME) });
  const refused = await client(key)('GET', '/api/v1/links');
  expectError(refused, 403);
  expect(refused.body.message).toBe('This account is suspended.');
  expect(await waypost.admin<Json[]>('list-accounts')).toContainEqual({
    id: expect.stringMatching(UUID),
    email,
    admin: false,
    creations_per_hour: null,
    suspended_at: suspended.suspended_at,
    created_at: expect.stringMatching(ISO_TIME),
  });
  expect(await waypost.admin('suspend-account', { email, lift: true })).toEqual({ email, suspended_at: null });
  expect((await client(key)('GET', '/api/v1/links')).status).toBe(200);
  for (const [command, options] of [
    ['suspend-account', { email: freshEmail() }],
    ['suspend-account', { email, reason: 'a\nb' }],
    ['take-down', { slug: freshSlug(), 'threat-type': 'spam', reason: 'x' }],
    ['take-down', { slug, 'threat-type': 'spam', reason: ' ' }],
    ['list-accounts', { page: '0' }],
  ] as const)
    await expect(waypost.admin(command, options)).rejects.toThrow(/\S/);
});

test('feeds are listed with their age and their last error', async () => {
  const name = freshSlug('feed');
  await importFeed(waypost, `https://${name}.example.net/\n`, { name });
  const { status, body } = await admin('GET', '/api/v1/admin/feeds');
  expect(status).toBe(200);
  const names = body.data.map((feed: Json) => feed.name);
  expect(names).toEqual([...names].sort());
  const entry = body.data.find((feed: Json) => feed.name === name);
  expect(entry).toEqual({
    name,
    entries: 1,
    updated_at: expect.stringMatching(ISO_TIME),
    age_seconds: expect.any(Number),
    stale: false,
    last_error: null,
    own_addresses: [],
    own_links: [],
    removal_url: null,
  });
  expect(entry.age_seconds).toBeLessThan(60);
  expectError(await admin('GET', '/api/v1/admin/feeds?x=1'), 400, ['x']);
});
