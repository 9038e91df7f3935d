import { beforeAll, describe, expect, test } from '@jest/globals';
import { PASSWORD, people } from '../people.ts';
import { product } from '../product.ts';
import { clicksOf, comesTo, DESTINATION, expectError, ISO_TIME, listedUrl, newSlug, times, visit } from '../support.ts';
import { apiClient, type Json } from '../waypost-process.ts';

const { waypost, newClient } = product();
const { newAccount, browser, signIn, byLink } = people(waypost);
const ERASED = 'https://erased.invalid/';

let admin: ReturnType<typeof apiClient>;
let adminEmail: string;
beforeAll(async () => {
  const administrator = await waypost.newKey('admin', { admin: true });
  admin = apiClient(waypost.api, administrator.key);
  adminEmail = administrator.email;
});

const statusOf = async (slug: string) => (await visit(waypost.redirect, `/${slug}`)).status;
/**
 * Each redirector caches links for a moment, so every one must be asked. A HEAD is not a click, so it stores nothing.
 */
const stops = async (slug: string) => {
  const ask = async () => (await visit(waypost.redirect, `/${slug}`, { method: 'HEAD' })).status;
  await comesTo(() => Promise.all(times(4, ask)), [410, 410, 410, 410], 10_000);
};

test("the owner's own deletion needs a session, the e-mail address and the password", async () => {
  const { email, ask } = await newAccount();
  const deleteAccount = (body: unknown) => ask('DELETE', '/api/v1/account', body);
  expectError(await deleteAccount({}), 400, ['email']);
  expectError(await deleteAccount({ email: 'other@example.org', current_password: PASSWORD }), 400, ['email']);
  expectError(await deleteAccount({ email }), 400, ['current_password']);
  expectError(await deleteAccount({ email, current_password: 'a wrong password' }), 400, ['current_password']);
  const { key } = await waypost.admin<{ key: string }>('create-key', { email, name: 'k', scopes: 'read,write' });
  const byKey = apiClient(waypost.api, key);
  expectError(await byKey('DELETE', '/api/v1/account', { email, current_password: PASSWORD }), 403);
  expectError(await byKey('GET', '/api/v1/account/export'), 403);
  expect((await ask('GET', '/api/v1/account')).status).toBe(200);
});

test('an account without a password is deleted after a fresh sign-in', async () => {
  const { email } = await waypost.newKey();
  const ask = browser(await byLink(email));
  expectError(await ask('DELETE', '/api/v1/account', { email: 'x@example.org' }), 400, ['email']);
  const answer = await ask('DELETE', '/api/v1/account', { email });
  expect([answer.status, answer.body]).toEqual([200, { email, deleted_at: expect.stringMatching(ISO_TIME) }]);
});

describe('a deleted account', () => {
  let email: string;
  let ask: ReturnType<typeof browser>;
  let key: string;
  let active: string;
  let flagged: string;
  beforeAll(async () => {
    ({ email, ask } = await newAccount());
    ({ key } = await waypost.admin<{ key: string }>('create-key', { email, name: "Ada's laptop", scopes: 'read' }));
    active = await newSlug(ask, { tags: ['mine'] });
    flagged = await newSlug(ask, { destination_url: await listedUrl(waypost) });
    expect([await statusOf(active), await statusOf(active), await statusOf(flagged)]).toEqual([302, 302, 403]);
    await comesTo(() => clicksOf(ask, active), 2, 15_000);

    const { body } = await ask('GET', '/api/v1/account/export');
    expect(body).toMatchObject({
      person: {
        account: { email },
        sessions: [{ current: true }],
        keys: [{ name: "Ada's laptop" }],
        passkeys: [],
        webhooks: [],
        cases: [],
      },
      links: [
        { slug: active, tags: ['mine'] },
        { slug: flagged, status: 'flagged' },
      ],
      next: null,
    });
    expect(body.person.audit.map(({ action }: Json) => action)).toContain('account.created');
    const answer = await ask('DELETE', '/api/v1/account', { email: email.toUpperCase(), current_password: PASSWORD });
    expect([answer.status, answer.body.email]).toEqual([200, email]);
  });

  test('opens for nobody, by session, key or password', async () => {
    expectError(await ask('GET', '/api/v1/account'), 401);
    expectError(await apiClient(waypost.api, key)('GET', '/api/v1/links'), 401);
    expectError(await signIn(email), 401);
  });

  test('leaves links that say they were revoked, and slugs that no other account gets', async () => {
    for (const slug of [active, flagged]) await stops(slug);
    const page = await visit(waypost.redirect, `/${active}`);
    expect(page.text).not.toContain(DESTINATION);
    const json = await visit(waypost.redirect, `/${active}`, { headers: { Accept: 'application/json' } });
    expect(JSON.parse(json.text)).toMatchObject({ status: 'revoked', destination_url: null });
    const other = await newClient();
    const again = await other('POST', '/api/v1/links', { destination_url: DESTINATION, custom_slug: active });
    expectError(again, 409);
    const { body } = await admin('GET', `/api/v1/admin/links/${flagged}`);
    expect(body).toMatchObject({
      owner: '',
      verdicts: [],
      link: { destination_url: ERASED, tags: [], status: 'revoked' },
    });
  });

  test('frees its e-mail address: a new account with it has nothing of the old one', async () => {
    const cookie = await waypost.admin('create-account', { email, admin: false }).then(() => byLink(email));
    const fresh = browser(cookie);
    expect((await fresh('GET', '/api/v1/links')).body.total).toBe(0);
    expect((await fresh('GET', '/api/v1/account/export')).body).toMatchObject({ links: [], person: { keys: [] } });
  });
});

describe('the deletion of an account', () => {
  test('is open to administrators over the API, for other accounts', async () => {
    const { email, ask } = await newAccount();
    const slug = await newSlug(ask);
    const where = (address: string) => `/api/v1/admin/accounts/${encodeURIComponent(address)}`;
    expectError(await admin('DELETE', where(adminEmail)), 400, ['email']);
    expectError(await (await newClient())('DELETE', where(email)), 403);
    expect((await admin('DELETE', where(email))).body).toMatchObject({ email });
    expectError(await admin('DELETE', where(email)), 404);
    await stops(slug);
    expectError(await ask('GET', '/api/v1/account'), 401);
  });

  test('is open to operators by command, if they confirm it', async () => {
    const { email } = await newAccount();
    await expect(waypost.admin('delete-account', { email, yes: false })).rejects.toThrow('--yes');
    expect(await waypost.admin('delete-account', { email, yes: true })).toEqual({
      email,
      deleted_at: expect.stringMatching(ISO_TIME),
    });
    await expect(waypost.admin('delete-account', { email, yes: true })).rejects.toThrow('There is no account');
  });
});

test('an export continues where a page ended, and refuses any other start', async () => {
  const { ask } = await newAccount();
  for (const after of ['x', '', '2026-99-21T09:30:00.000Z_aB3dE6g', '2026-11-21T09:30:00.000Z_a/b'])
    expectError(await ask('GET', `/api/v1/account/export?after=${encodeURIComponent(after)}`), 400, ['after']);
  const [first, second] = [await newSlug(ask), await newSlug(ask)];
  const { links } = (await ask('GET', '/api/v1/account/export')).body;
  expect(links.map(({ slug }: Json) => slug)).toEqual([first, second]);
  const after = encodeURIComponent(`${links[0].created_at}_${first}`);
  expect((await ask('GET', `/api/v1/account/export?after=${after}`)).body).toMatchObject({
    person: null,
    links: [{ slug: second }],
    next: null,
  });
});
