/** What administrators do over the API and by command, what their subjects then meet, and what the audit log has of it. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { pause } from '@waypost/test-support';
import { freshEmail, PASSWORD, people } from './people.ts';
import { product } from './product.ts';
import {
  DESTINATION,
  expectError,
  freshSlug,
  ISO_TIME,
  importFeed,
  listedUrl,
  newLink,
  newSlug,
  queriesOf,
  tally,
  times,
  UUID,
  visit,
} from './support.ts';
import { type Answer, apiClient, type Json } from './waypost-process.ts';

const { waypost, newClient } = product();
const { newAccount } = people(waypost);

let admin: ReturnType<typeof apiClient>;
let adminEmail: string;
let adminKey: string;
beforeAll(async () => {
  const made = await waypost.newKey('admin', { admin: true });
  adminEmail = made.email;
  adminKey = made.id;
  admin = apiClient(waypost.api, made.key);
});

const client = (key: string) => apiClient(waypost.api, key);
const entriesAbout = async (subject: string, more = ''): Promise<Json[]> =>
  (await admin('GET', `/api/v1/admin/audit?limit=100&subject=${encodeURIComponent(subject)}${more}`)).body.data;
const actionsAbout = async (subject: string) =>
  (await entriesAbout(subject)).map(({ action, outcome }) => (outcome === 'done' ? action : `${action} ${outcome}`));

test.each([
  'GET /admin/accounts',
  'POST /admin/accounts',
  'PUT /admin/accounts/a@example.org/suspension',
  'DELETE /admin/accounts/a@example.org/suspension',
  'GET /admin/accounts/a@example.org/keys',
  'POST /admin/accounts/a@example.org/keys',
  'DELETE /admin/accounts/a@example.org/keys/x',
  'GET /admin/links/abcdefg',
  'POST /admin/links/abcdefg/take-down',
  'GET /admin/audit',
  'GET /admin/feeds',
])('%s is for administrators: the scope alone does not make one', async (endpoint) => {
  const [method, path] = endpoint.split(' ') as [string, string];
  expectError(await apiClient(waypost.api)(method, `/api/v1${path}`), 401);
  for (const scopes of ['read,write', 'admin'])
    expectError(await (await newClient(scopes))(method, `/api/v1${path}`), 403);
});

describe('accounts', () => {
  test('are made once, with a link to sign in if it is asked for', async () => {
    const email = freshEmail();
    const made = await admin('POST', '/api/v1/admin/accounts', { email, sign_in_link: true });
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.stringMatching(UUID),
        email,
        admin: false,
        sign_in_url: expect.stringMatching(/\/sign-in\/[\w-]{43}$/),
        expires_at: expect.stringMatching(ISO_TIME),
      },
    ]);
    const path = new URL(made.body.sign_in_url).pathname;
    const signIn = () => fetch(`${waypost.api}${path}`, { method: 'POST', redirect: 'manual' });
    expect([(await signIn()).status, (await signIn()).status]).toEqual([303, 410]);
    expectError(await admin('POST', '/api/v1/admin/accounts', { email: email.toUpperCase() }), 409);
    const other = await admin('POST', '/api/v1/admin/accounts', { email: freshEmail(), admin: null });
    expect(other.body).toMatchObject({ admin: false, sign_in_url: null, expires_at: null });
    expect(await actionsAbout(email)).toEqual(['account.sign_in_link_made', 'account.created']);
    expect(JSON.stringify(await entriesAbout(email))).not.toContain(path.slice(9));
  });

  test('with a bad address are refused', async () => {
    for (const email of ['', `${'a'.repeat(300)}@example.org`, 'a\u0000@example.org'])
      expectError(await admin('POST', '/api/v1/admin/accounts', { email }), 400, ['email']);
    expectError(await admin('POST', '/api/v1/admin/accounts', { email: freshEmail(), admin: 'yes' }), 400, ['admin']);
  });

  test('are listed page by page, found by a part of their address, and told apart by their state', async () => {
    const mark = crypto.randomUUID();
    const emails = times(5, (i) => `${i}${mark}%@example.org`);
    for (const email of emails) await waypost.admin('create-account', { email });
    await admin('PUT', `/api/v1/admin/accounts/${encodeURIComponent(emails[2]!)}/suspension`, { reason: 'x' });
    const list = async (query: string): Promise<Json> => (await admin('GET', `/api/v1/admin/accounts?${query}`)).body;
    const found = await list(`search=${mark.toUpperCase()}%25&limit=2&page=2`);
    expect(found).toMatchObject({ total: 5, page: 2, limit: 2, total_pages: 3 });
    expect(found.data.map(({ email }: Json) => email)).toEqual([emails[2], emails[1]]);
    expect(found.data[1]).toEqual({
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

const LIST_TOOLS = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });

describe('a suspended account', () => {
  async function suspended() {
    const { email, ask } = await newAccount();
    const { key } = await waypost.admin<{ key: string }>('create-key', { email, name: 'x', scopes: 'read,write' });
    const slug = await newSlug(client(key));
    const asks = (): Promise<Answer[]> =>
      Promise.all([
        client(key)('GET', '/api/v1/account'),
        client(key)('GET', '/api/v1/links'),
        client(key)('POST', '/api/v1/links', { destination_url: DESTINATION }),
        ask('GET', '/api/v1/account'),
        ask('POST', '/api/v1/links', { destination_url: DESTINATION }),
      ]);
    const asksTool = async () => {
      const accept = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' };
      const headers = { ...accept, Authorization: `Bearer ${key}` };
      return (await fetch(`${waypost.api}/mcp`, { method: 'POST', headers, body: LIST_TOOLS })).status;
    };
    return { email, slug, asks, asksTool };
  }

  test('is refused from the next request on, by key and by session, and reads why; its links go on', async () => {
    const { email, slug, asks, asksTool } = await suspended();
    const path = `/api/v1/admin/accounts/${email.toUpperCase()}/suspension`;
    const answer = await admin('PUT', path, { reason: 'Its links lead to <b>a scam</b>.' });
    expect(answer.body).toMatchObject({
      email,
      suspended_at: expect.stringMatching(ISO_TIME),
      suspension_reason: 'Its links lead to <b>a scam</b>.',
    });
    for (const refused of await asks()) {
      expectError(refused, 403, ['account']);
      expect(refused.body.message).toBe('This account is suspended: Its links lead to <b>a scam</b>.');
    }
    expect(await asksTool()).toBe(403);
    // Both creations say what is left all the same.
    const quotas = (await asks()).flatMap(({ headers }) => headers.get('x-ratelimit-used') ?? []);
    expect(quotas).toHaveLength(2);
    expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(302);

    const again = await admin('PUT', path, { reason: 'Another reason.' });
    expect(again.body).toMatchObject({
      suspended_at: answer.body.suspended_at,
      suspension_reason: 'Another reason.',
    });
    expect((await admin('DELETE', path)).body).toMatchObject({ suspended_at: null, suspension_reason: null });
    expect((await admin('DELETE', path)).status).toBe(200);
    for (const { status } of await asks()) expect(status).toBeLessThan(300);
    expect(await asksTool()).toBe(200);
    expect((await actionsAbout(email)).slice(0, 3)).toEqual([
      'account.resumed',
      'account.suspended',
      'account.suspended',
    ]);
    expect((await entriesAbout(email))[2]).toEqual({
      id: expect.stringMatching(/^\d+$/),
      at: expect.stringMatching(ISO_TIME),
      actor: adminEmail,
      via: 'key',
      credential: adminKey,
      action: 'account.suspended',
      subject: email,
      account: email,
      outcome: 'done',
      detail: 'Its links lead to <b>a scam</b>.',
    });
  });

  test('is never one’s own, and needs a reason of one line', async () => {
    const path = (email: string) => `/api/v1/admin/accounts/${email}/suspension`;
    expectError(await admin('PUT', path(adminEmail), { reason: 'x' }), 400, ['email']);
    expect(await actionsAbout(adminEmail)).not.toContain('account.suspended');
    const { email } = await waypost.newKey();
    for (const reason of ['', 'a\nb', 'a\u0000', 'x'.repeat(1001), null]) {
      expectError(await admin('PUT', path(email), { reason }), 400, ['reason']);
    }
    expectError(await admin('PUT', path(freshEmail()), { reason: 'x' }), 404);
    for (const hostile of ['%00', `${'a'.repeat(5_000)}@example.org`, '%F0%9F%92%A9']) {
      expectError(await admin('PUT', path(hostile), { reason: 'x' }), 404);
      expectError(await admin('DELETE', path(hostile)), 404);
    }
  });
});

describe('keys', () => {
  test('of any account are listed, made and deleted; a deleted one is refused at once', async () => {
    const { email } = await waypost.newKey();
    const path = `/api/v1/admin/accounts/${email}/keys`;
    const made = await admin('POST', path, { name: 'CI', scopes: ['read'], expires_at: '2099-01-31T00:00:00Z' });
    expect([made.status, made.body.expires_at]).toEqual([201, '2099-01-31T00:00:00.000Z']);
    const { key, ...shown } = made.body;
    expect((await client(key)('GET', '/api/v1/account')).body.email).toBe(email);
    await pause(300);
    const { data, limit } = (await admin('GET', path)).body;
    expect([limit, data.length]).toEqual([20, 2]);
    expect(data[0]).toEqual({ ...shown, last_used_at: expect.stringMatching(ISO_TIME) });
    const other = await waypost.newKey();
    expectError(await admin('DELETE', `/api/v1/admin/accounts/${other.email}/keys/${shown.id}`), 404);
    expect((await admin('DELETE', `${path}/${shown.id}`)).body.id).toBe(shown.id);
    expectError(await client(key)('GET', '/api/v1/account'), 401);
    for (const id of [shown.id, 'x', '%00', 'a'.repeat(5_000)])
      expectError(await admin('DELETE', `${path}/${id}`), 404);
    expectError(await admin('GET', `/api/v1/admin/accounts/${freshEmail()}/keys`), 404);
    expect(await actionsAbout(shown.id)).toEqual([
      'key.deleted refused',
      'key.deleted',
      'key.deleted refused',
      'key.created',
    ]);
    expect((await entriesAbout(email)).map(({ action }) => action)).toEqual([
      'key.deleted',
      'key.created',
      'key.created',
      'account.sign_in_link_made',
      'account.created',
    ]);
    expect(JSON.stringify(await entriesAbout(email))).not.toContain(key);
  });

  test('of one account are 20 at most, exactly, whoever makes them at once', async () => {
    const { email, id } = await waypost.newKey('admin');
    const mine = await newKeyOf(email, 'admin');
    const make = (i: number) => {
      const wanted = { name: `key ${i}`, scopes: ['read'] };
      return i % 2 === 0
        ? admin('POST', `/api/v1/admin/accounts/${email}/keys`, wanted)
        : client(mine)('POST', '/api/v1/account/keys', wanted);
    };
    expect(tally(await Promise.all(times(40, make)))).toEqual({ 201: 18, 409: 22 });
    expect((await make(1)).body.message).toBe('Delete one of your 20 keys first.');
    expect((await admin('DELETE', `/api/v1/admin/accounts/${email}/keys/${id}`)).status).toBe(200);
    expect(tally(await Promise.all(times(5, make)))).toEqual({ 201: 1, 409: 4 });
  });

  const newKeyOf = async (email: string, scopes: string, more = {}) =>
    (await waypost.admin<{ key: string }>('create-key', { email, name: 'x', scopes, ...more })).key;

  test('with an end are refused from then on, and make room for others', async () => {
    const api = await newClient('admin');
    const ends = new Date(Date.now() + 2_000).toISOString();
    const make = (expires_at: unknown) =>
      api('POST', '/api/v1/account/keys', { name: 'short', scopes: ['read'], expires_at });
    const made = await Promise.all(times(19, () => make(ends)));
    expect(tally(made)).toEqual({ 201: 19 });
    expectError(await make(null), 409);
    expect((await client(made[0]!.body.key)('GET', '/api/v1/links')).status).toBe(200);
    await pause(Date.parse(ends) - Date.now() + 100);
    expectError(await client(made[0]!.body.key)('GET', '/api/v1/links'), 401);
    expect((await api('GET', '/api/v1/account/keys')).body.data).toHaveLength(1);
    expect((await make(null)).body.expires_at).toBeNull();
    for (const bad of ['', '2027-02-30T00:00:00Z', '2027-01-31', ends, 5, 'x'.repeat(9_999)])
      expectError(await make(bad), 400, ['expires_at']);
  });

  test('are made with an end by command', async () => {
    const { email } = await waypost.newKey();
    const made = await waypost.admin('create-key', { email, name: 'x', scopes: 'read', expires: '90d' });
    expect(Date.parse(String(made.expires_at)) - Date.now()).toBeGreaterThan(89.9 * 86_400_000);
    await waypost.admin('create-key', { email, name: 'y', scopes: 'read', expires: '2099-01-31' });
    const [newest] = await waypost.admin<Json[]>('list-keys', { email });
    expect(newest).toEqual({
      id: expect.stringMatching(UUID),
      name: 'y',
      scopes: ['read'],
      created_at: expect.stringMatching(ISO_TIME),
      last_used_at: null,
      expires_at: '2099-01-31T00:00:00.000Z',
    });
    for (const expires of ['', '0d', '2001-01-31'])
      await expect(waypost.admin('create-key', { email, name: 'z', scopes: 'read', expires })).rejects.toThrow(
        'expires',
      );
  });
});

describe('a take-down', () => {
  const takeDown = (slug: string, body: unknown) => admin('POST', `/api/v1/admin/links/${slug}/take-down`, body);

  test('stops the redirect at once, tells the owner why, and only a review ends it', async () => {
    const { key, email } = await waypost.newKey();
    const { slug, take_down_reason } = await newLink(client(key));
    expect(take_down_reason).toBeNull();
    expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(302);
    const answer = await takeDown(slug, { threat_type: 'scam', reason: 'Copies a <i>bank</i>.' });
    expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(403);
    expect(answer.body).toMatchObject({
      status: 'flagged',
      threat_type: 'scam',
      take_down_reason: 'Copies a <i>bank</i>.',
    });
    expect((await client(key)('GET', `/api/v1/links/${slug}`)).body).toEqual(answer.body);
    expectError(await client(key)('POST', `/api/v1/links/${slug}/revoke`), 400);

    const changed = await takeDown(slug, { threat_type: 'phishing', reason: 'A second look.' });
    expect(changed.body).toMatchObject({ threat_type: 'phishing', take_down_reason: 'A second look.' });
    const seen = await admin('GET', `/api/v1/admin/links/${slug}`);
    expect(seen.body).toMatchObject({ link: changed.body, owner: email });
    expect(seen.body.verdicts[0]).toEqual({
      at: changed.body.updated_at,
      source: 'take_down',
      outcome: 'flagged',
      threat_type: 'phishing',
      reasons: [
        { rule: 'take-down', evidence: 'A second look.' },
        { rule: 'take-down', evidence: 'Copies a <i>bank</i>.' },
      ],
      generation: expect.stringMatching(/\S/),
    });
    const cleared = await admin('POST', `/api/v1/admin/links/${slug}/review`, {
      decision: 'clear',
      reason: 'Was wrong.',
    });
    expect(cleared.body).toMatchObject({ status: 'active', threat_type: null, take_down_reason: null });
    expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(302);
    expect((await entriesAbout(slug)).map(({ action, detail, account }) => [action, detail, account])).toEqual([
      ['link.reviewed', 'clear: Was wrong.', email],
      ['link.taken_down', 'phishing: A second look.', email],
      ['link.taken_down', 'scam: Copies a <i>bank</i>.', email],
    ]);
  });

  test('of a flagged link gives it the reason; of a revoked one is refused, and noted', async () => {
    const { key } = await waypost.newKey();
    const flagged = await newSlug(client(key), { destination_url: await listedUrl(waypost) });
    expect((await takeDown(flagged, { threat_type: 'spam', reason: 'x' })).body.take_down_reason).toBe('x');
    const slug = await newSlug(client(key));
    await client(key)('POST', `/api/v1/links/${slug}/revoke`);
    expectError(await takeDown(slug, { threat_type: 'spam', reason: 'x' }), 400);
    expect((await client(key)('GET', `/api/v1/links/${slug}`)).body.status).toBe('revoked');
    expect(await entriesAbout(slug)).toMatchObject([
      { action: 'link.taken_down', outcome: 'refused', detail: expect.stringContaining('already revoked') },
    ]);
  });

  test('needs a link, a type and a reason', async () => {
    for (const slug of [freshSlug(), '%00', 'a%2Fb', 'x'.repeat(5_000)]) {
      expectError(await takeDown(slug, { threat_type: 'spam', reason: 'x' }), 404);
      expectError(await admin('GET', `/api/v1/admin/links/${slug}`), 404);
    }
    expectError(await takeDown('abcdefg', {}), 400, ['reason', 'threat_type']);
    expectError(await takeDown('abcdefg', { threat_type: 'x', reason: 'a\u202e\n' }), 400, ['reason', 'threat_type']);
  });
});

describe('the audit log', () => {
  test('has every change to an account and its keys, by whom and with what', async () => {
    const { email, cookie, ask: browser } = await newAccount();
    const ask = (method: string, path: string, body?: unknown) => browser(method, `/api/v1${path}`, body);
    const { id } = (await ask('POST', '/account/keys', { name: 'mine', scopes: ['read', 'write'] })).body;
    await ask('DELETE', `/account/keys/${id}`);
    await admin('PUT', `/api/v1/admin/accounts/${email}/limit`, { creations_per_hour: 7 });
    await waypost.admin('sign-in-link', { email });
    await ask('PUT', '/account/password', { current_password: PASSWORD, new_password: `${PASSWORD} 2` });
    await ask('DELETE', '/account/sessions');
    const entries = await entriesAbout(email);
    expect(entries.map(({ actor, via, action, detail }) => [actor, via, action, detail])).toEqual([
      [email, 'session', 'account.sessions_ended', ''],
      [email, 'session', 'account.sessions_ended', ''],
      [email, 'session', 'account.password_changed', ''],
      ['operator', 'operator', 'account.sign_in_link_made', ''],
      [adminEmail, 'key', 'account.limit_set', 'creations_per_hour 7'],
      [email, 'session', 'key.deleted', 'mine'],
      [email, 'session', 'key.created', 'mine (read, write)'],
      ['operator', 'operator', 'account.sign_in_link_made', ''],
      ['operator', 'operator', 'account.created', ''],
    ]);
    expect(new Set(entries.filter(({ via }) => via === 'session').map(({ credential }) => credential)).size).toBe(1);
    expect(entries[0].credential).toMatch(/^[0-9a-f]{12}$/);
    for (const secret of [PASSWORD, cookie.split('=')[1]!]) expect(JSON.stringify(entries)).not.toContain(secret);
  });

  test('is read page by page, and filtered by actor, action, subject and time', async () => {
    const { email } = await waypost.newKey();
    for (const reason of ['one', 'two', 'three'])
      await admin('PUT', `/api/v1/admin/accounts/${email}/suspension`, { reason });
    const about = `subject=${email}&action=account.suspended&actor=${adminEmail}`;
    const page = async (query: string) => (await admin('GET', `/api/v1/admin/audit?${query}`)).body as Json;
    const details = ({ data }: Json) => data.map(({ detail }: Json) => detail);
    const first = await page(`${about}&limit=2`);
    expect([details(first), first.next]).toEqual([['three', 'two'], first.data[1].id]);
    const second = await page(`${about}&limit=2&before=${first.next}`);
    expect([details(second), second.next]).toEqual([['one'], null]);
    expect(details(await page(`${about}&since=${second.data[0].at}`))).toEqual(['three', 'two', 'one']);
    expect(details(await page(`${about}&since=2099-01-01`))).toEqual([]);
    expect((await page(`subject=${email}&actor=operator`)).data).toHaveLength(3);
    const [newest] = await waypost.admin<Json[]>('audit', { limit: '1', subject: email });
    expect(newest).toEqual({
      at: expect.stringMatching(ISO_TIME),
      actor: adminEmail,
      action: 'account.suspended',
      subject: email,
      detail: 'three',
    });
    expect(await waypost.admin('audit', { since: '1h', subject: email })).toHaveLength(6);
    for (const [query, field] of queriesOf([
      ['before', ['x', '9999999999999999999']],
      ['since', ['yesterday', '2026-02-30']],
      ['action', ['all']],
      ['actor', ['%00']],
      ['subject', ['a&subject=b']],
    ])) {
      expectError(await admin('GET', `/api/v1/admin/audit?${query}`), 400, [field]);
    }
    for (const wrong of [{ since: '2026-02-30' }, { limit: '1001' }])
      await expect(waypost.admin('audit', wrong)).rejects.toThrow(/must be/);
  });

  test('notes what an administrator was refused', async () => {
    const last = async (action: string) =>
      (await admin('GET', `/api/v1/admin/audit?action=${action}&actor=${adminEmail}&limit=1`)).body.data;
    const nobody = freshEmail();
    expectError(await admin('PUT', `/api/v1/admin/accounts/${nobody}/limit`, { creations_per_hour: 1 }), 404);
    // Nobody could ask for this address to be forgotten.
    const refused = { actor: adminEmail, subject: '', outcome: 'refused', account: null };
    expect(await last('account.limit_set')).toMatchObject([refused]);
    expect(JSON.stringify(await last('account.limit_set'))).not.toContain(nobody);
    const { email } = await waypost.newKey();
    expectError(await admin('POST', '/api/v1/admin/accounts', { email }), 409);
    expect(await last('account.created')).toMatchObject([{ actor: adminEmail, subject: email, outcome: 'refused' }]);
    expect((await admin('DELETE', `/api/v1/admin/accounts/${email}`)).status).toBe(200);
    expectError(await admin('DELETE', `/api/v1/admin/accounts/${email}`), 404);
    const all = (await admin('GET', '/api/v1/admin/audit?limit=100')).body;
    expect(JSON.stringify(all)).not.toContain(email);
  });
});

test('the commands list, suspend, lift and take down as the API does', async () => {
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

test('feeds are listed with their age and the error of the last update', async () => {
  const name = freshSlug('feed');
  await importFeed(waypost, `https://${name}.example.net/\n`, { name });
  const { status, body } = await admin('GET', '/api/v1/admin/feeds');
  expect(status).toBe(200);
  const names = body.data.map((feed: Json) => feed.name);
  expect(names).toEqual([...names].sort());
  const found = body.data.find((feed: Json) => feed.name === name);
  expect(found).toEqual({
    name,
    entries: 1,
    updated_at: expect.stringMatching(ISO_TIME),
    age_seconds: expect.any(Number),
    stale: false,
    last_error: null,
  });
  expect(found.age_seconds).toBeLessThan(60);
  expectError(await admin('GET', '/api/v1/admin/feeds?x=1'), 400, ['x']);
});
