import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { OPERATOR } from '@waypost/domain';
import { depsWith, testServer } from '../../test/link-api-under-test.ts';
import { openStores } from '../../test/stores.ts';
import { createLinkApi, type LinkApiPorts } from '../app.ts';
import { createApiKey } from '../keys/create.ts';
import { slotsByConcurrency } from '../platform/limits.ts';
import { createAccount, createSignInLink } from './accounts.ts';
import { firstRun, newFirstRun } from './first-run.ts';
import { webAuthnCeremonies } from './passkeys/ceremonies.adapter.ts';
import { startSession } from './start-session.ts';

const MINUTE_MS = 60_000;
const PASSWORD = 'correct horse battery staple';
const NOON = Date.parse('2026-11-22T12:00:00.000Z');
let at = NOON;
beforeEach(() => {
  at = NOON;
});

const stores = await openStores();
let deps: LinkApiPorts;
const { server, base } = testServer();
beforeAll(() => {
  const parts = { ...stores, ceremonies: webAuthnCeremonies('http://localhost'), now: () => new Date(at) };
  deps = depsWith({ ...parts, webhookPolicy: depsWith({}).urlPolicy, baseUrl: base() });
  server.on('request', createLinkApi(deps).app);
});

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0';
const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

// biome-ignore lint/suspicious/noExplicitAny: each test knows the type of this JSON
type Json = any;
async function send(method: string, path: string, { body, cookie = '', key, agent = FIREFOX }: Json = {}) {
  const answer = await fetch(`${base()}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      Origin: base(),
      'Sec-Fetch-Site': 'same-origin',
      'User-Agent': agent,
      ...(cookie === '' ? {} : { Cookie: cookie }),
      ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const set = answer.headers.getSetCookie()[0]?.split(';')[0];
  const text = await answer.text();
  return { status: answer.status, body: (text.startsWith('{') ? JSON.parse(text) : text) as Json, cookie: set };
}
async function newOwner({ password = PASSWORD as string | null, admin = false } = {}) {
  const email = `u${randomUUID()}@example.org`;
  const { id } = await createAccount(deps, { email, admin, ...(password !== null && { password }) }, OPERATOR);
  const cookie = await (password === null ? byLink(email) : signIn(email));
  return { id, email, cookie };
}
async function signIn(email: string, agent = FIREFOX): Promise<string> {
  return (await send('POST', '/session', { body: { email, password: PASSWORD }, agent })).cookie!;
}
async function byLink(email: string): Promise<string> {
  const { sign_in_url } = await createSignInLink(deps, email, OPERATOR);
  return (await send('POST', new URL(sign_in_url).pathname)).cookie!;
}
const prove = (cookie: string, password = PASSWORD) =>
  send('POST', '/api/v1/account/proof', { cookie, body: { current_password: password } });
const account = (cookie: string) => send('GET', '/api/v1/account', { cookie });
const credentials = async (cookie: string) => (await send('GET', '/api/v1/account/credentials', { cookie })).body;
const actions = async (subject: string) =>
  (await stores.audit.list({ limit: 50, subject })).map(({ action, outcome, via, detail }) => [
    outcome === 'done' ? action : `${action} ${outcome}`,
    via,
    detail,
  ]);

const KEY = { name: "a thief's", scopes: ['read', 'write'] };
const WEBHOOK = { url: 'https://thief.example.org/', events: ['link.created'] };
const ADDITIONS = [
  ['a passkey', 'POST', '/account/passkeys/challenge', undefined, 200],
  ['a key', 'POST', '/account/keys', KEY, 201],
  ['a webhook', 'POST', '/webhooks', WEBHOOK, 201],
  ['an identity of the provider', 'POST', '/account/identities', undefined, 403],
  ['an account', 'POST', '/admin/accounts', { email: 'thief@example.org', admin: true, sign_in_link: true }, 201],
] as const;

test.each(ADDITIONS)(
  'a stolen cookie does not add %s after 15 minutes, until the owner proves again',
  async (...row) => {
    const [, method, path, body, status] = row;
    const { cookie } = await newOwner({ admin: true });
    at += 15 * MINUTE_MS;
    const refused = await send(method, `/api/v1${path}`, { body, cookie });
    expect([refused.status, refused.body.details]).toEqual([403, { proof: 'is required' }]);
    const proof = await prove(cookie);
    expect(proof.status).toBe(200);
    // The thief's copy of the cookie ends with the proof.
    expect((await account(cookie)).status).toBe(401);
    const added = await send(method, `/api/v1${path}`, { body, cookie: proof.cookie });
    expect(added.status).toBe(status);
    // No OpenID Connect provider is configured, so the refusal is of another kind.
    expect(added.body.details).toBeUndefined();
  },
);

test('a stolen cookie neither changes a webhook nor removes a way to sign in', async () => {
  const { cookie } = await newOwner();
  const webhook = await send('POST', '/api/v1/webhooks', { cookie, body: WEBHOOK });
  at += 15 * MINUTE_MS;
  for (const [method, path, body] of [
    ['PUT', `/webhooks/${webhook.body.id}`, { ...WEBHOOK, enabled: true }],
    ['POST', `/webhooks/${webhook.body.id}/secret`, undefined],
    ['DELETE', `/account/passkeys/${randomUUID()}`, undefined],
    ['DELETE', `/account/identities/${randomUUID()}`, undefined],
    ['POST', '/account/secure', {}],
  ] as const)
    expect((await send(method, `/api/v1${path}`, { body, cookie })).body.details).toEqual({ proof: 'is required' });
});

test('a stolen cookie does not set the first password of an account, or delete the account', async () => {
  const { email, cookie } = await newOwner({ password: null });
  at += 15 * MINUTE_MS;
  const attempts = [
    await send('PUT', '/api/v1/account/password', { cookie, body: { new_password: PASSWORD } }),
    await send('DELETE', '/api/v1/account', { cookie, body: { email } }),
  ];
  for (const { status, body } of attempts) expect([status, body.details]).toEqual([403, { proof: 'is required' }]);
  const fresh = await byLink(email);
  expect(
    (await send('PUT', '/api/v1/account/password', { cookie: fresh, body: { new_password: PASSWORD } })).status,
  ).toBe(200);
});

test('a key needs no proof, and a session none for what does not outlive it', async () => {
  const { id, cookie } = await newOwner({ admin: true });
  const { key } = await createApiKey(deps, id, { name: 'x', scopes: ['admin'] }, OPERATOR);
  at += 15 * MINUTE_MS;
  expect((await send('POST', '/api/v1/account/keys', { key, body: KEY })).status).toBe(201);
  expect((await send('POST', '/api/v1/webhooks', { key, body: WEBHOOK })).status).toBe(201);
  expect((await send('GET', '/api/v1/account/keys', { cookie })).status).toBe(200);
});

test('a proof is refused for a wrong password, ten times in 15 minutes, and for both or neither of its fields', async () => {
  const { cookie } = await newOwner();
  at += 15 * MINUTE_MS;
  const both = { current_password: PASSWORD, passkey: PASSKEY };
  for (const body of [{}, both])
    expect((await send('POST', '/api/v1/account/proof', { cookie, body })).body.details).toEqual({
      current_password: 'or passkey is required, but not both',
    });
  const unknown = await send('POST', '/api/v1/account/proof', { cookie, body: { passkey: PASSKEY } });
  expect(unknown.body.details).toEqual({ passkey: 'does not belong to this account' });
  for (let i = 0; i < 10; i++)
    expect((await prove(cookie, 'wrong')).body.details).toEqual({ current_password: 'is wrong' });
  expect((await prove(cookie)).status).toBe(429);
  expect((await account(cookie)).status).toBe(200);
});
const PASSKEY = {
  id: 'eA',
  response: { clientDataJSON: 'e30', authenticatorData: 'eA', signature: 'eA', userHandle: 'eA' },
};

test('the owner sees each session with its browser, place, begin and last use, and ends one', async () => {
  const { email, cookie } = await newOwner();
  at += MINUTE_MS;
  const other = await signIn(email, CHROME);
  const { sessions } = await credentials(cookie);
  expect(sessions).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f]{12}$/),
      current: false,
      via: 'password',
      browser: 'Chrome',
      system: 'Windows',
      country: 'ZZ',
      started_at: new Date(at).toISOString(),
      last_used_at: new Date(at).toISOString(),
    },
    expect.objectContaining({ current: true, browser: 'Firefox', system: 'Linux' }),
  ]);
  const path = `/api/v1/account/sessions/${sessions[0].id}`;
  const stranger = await newOwner();
  expect((await send('DELETE', path, { cookie: stranger.cookie })).status).toBe(404);
  expect((await send('DELETE', path, { cookie })).status).toBe(200);
  expect((await account(other)).status).toBe(401);
  expect((await account(cookie)).status).toBe(200);
  expect((await send('DELETE', path, { cookie })).status).toBe(404);
  expect((await actions(sessions[0].id)).map(([action]) => action)).toEqual(['session.ended', 'session.started']);
});

test('an account has at most 50 sessions, and begins at most 100 in 15 minutes', async () => {
  const { email, cookie } = await newOwner();
  const path = async () => new URL((await createSignInLink(deps, email, OPERATOR)).sign_in_url).pathname;
  for (let i = 0; i < 50; i++) {
    at += 1;
    expect((await send('POST', await path())).status).toBe(303);
  }
  expect((await account(cookie)).status).toBe(401);
  const newest = await signIn(email);
  expect((await credentials(newest)).sessions).toHaveLength(50);
  await stores.db.query('UPDATE sign_in_attempts SET attempts = 100');
  const body = { email, password: PASSWORD };
  await stores.db.query('DELETE FROM sign_in_attempts WHERE attempts < 100');
  expect((await send('POST', '/session', { body })).status).toBe(429);
});

test('a new device is told to the other sessions until the owner confirms it, even if its session has ended', async () => {
  const { email, cookie } = await newOwner();
  const unknown = async (as: string) =>
    (await credentials(as)).devices.filter((device: Json) => !device.known).map(({ browser }: Json) => browser);
  await signIn(email);
  expect(await unknown(cookie)).toEqual([]);
  const thief = await signIn(email, CHROME);
  const { id } = (await credentials(cookie)).devices.find((device: Json) => device.browser === 'Chrome');
  const confirm = (as: string) => send('POST', `/api/v1/account/devices/${id}/confirm`, { cookie: as });
  expect((await confirm(thief)).status).toBe(404);
  expect((await confirm((await newOwner()).cookie)).status).toBe(404);
  await send('DELETE', '/session', { cookie: thief });
  expect(await unknown(cookie)).toEqual(['Chrome']);
  expect((await confirm(cookie)).status).toBe(200);
  await signIn(email, CHROME);
  expect(await unknown(cookie)).toEqual([]);
});

test('each sign-in is in the audit log, with its way and browser, and a flood of wrong passwords from one network twice', async () => {
  const { email } = await newOwner();
  await byLink(email);
  const wrong = { email, password: 'wrong wrong wrong' };
  for (let i = 0; i < 14; i++) await send('POST', '/session', { body: wrong });
  // Nobody waits for these entries.
  while ((await actions(email)).length < 6) await new Promise(setImmediate);
  expect(await actions(email)).toEqual([
    ['session.started refused', 'password', '10 wrong passwords within 15 minutes.'],
    ['session.started refused', 'password', 'Wrong password.'],
    ['session.started', 'sign_in_link', 'Firefox on Linux, ZZ'],
    ['account.sign_in_link_made', 'operator', ''],
    ['session.started', 'password', 'Firefox on Linux, ZZ'],
    ['account.created', 'operator', ''],
  ]);
});

test('the printed address makes no account after an hour', async () => {
  const none = await openStores();
  const own = depsWith({ ...deps, ...none });
  const token = (await newFirstRun(none.accounts, deps.now()))!;
  const origin = { browser: 'Firefox', system: 'Linux', country: 'ZZ' };
  const first = () =>
    firstRun(
      { ...own, slotsOf: slotsByConcurrency() },
      { token, email: 'a@example.org', password: PASSWORD, origin },
      NEVER,
    );
  at += 60 * MINUTE_MS;
  await expect(first()).rejects.toMatchObject({ code: 'first_run_over' });
  at -= 1;
  expect((await first()).account).toMatchObject({ email: 'a@example.org', admin: true });
});
const NEVER = new AbortController().signal;

test('an owner throws out somebody who signs in as often as possible', async () => {
  const { id, cookie } = await newOwner();
  const thief = async () => {
    const own = await stores.accounts.own(id);
    return startSession({ ...deps, slotsOf: slotsByConcurrency() }, own!, {
      via: 'password',
      origin: { browser: 'Chrome', system: 'Windows', country: 'ZZ' },
    });
  };
  while (await thief().catch(() => undefined));
  const secured = await send('POST', '/api/v1/account/secure', { cookie, body: {} });
  expect([secured.status, secured.body.sessions]).toMatchObject([200, [{ current: true }]]);
  expect((await account(secured.cookie!)).status).toBe(200);
});
