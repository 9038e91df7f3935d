import { randomUUID } from 'node:crypto';
import { BlockList } from 'node:net';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { OPERATOR, unavailable } from '@waypost/domain';
import { pause } from '@waypost/test-support';
import { depsWith, testServer } from '../../test/link-api-under-test.ts';
import { openStores } from '../../test/stores.ts';
import { createLinkApi, type LinkApiPorts } from '../app.ts';
import { hashSecret } from '../platform/hash-secret.ts';
import { slotsByConcurrency } from '../platform/limits.ts';
import { NOWHERE, UNKNOWN_ORIGIN } from '../platform/place.ts';
import { deleteOwnAccount } from '../privacy/delete.ts';
import { createAccount, createSignInLink } from './accounts.ts';
import { changePassword } from './change-password.ts';
import { webAuthnCeremonies } from './passkeys/ceremonies.adapter.ts';
import { signIn as beginSignIn } from './sign-in.ts';
import type { SignInDeps } from './start-session.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const PASSWORD = 'correct horse battery staple';
const NOON = Date.parse('2026-11-22T12:00:00.000Z');
let at = NOON;
let addresses = 0;
/** Nobody has sent a request from this address before. */
const newAddress = () => `10.0.${addresses >> 8}.${addresses++ & 255}`;
beforeEach(() => {
  at = NOON;
});

const logged: string[] = [];
const stores = await openStores();
const { db } = stores;
let deps: LinkApiPorts;
const { server, base } = testServer();
beforeAll(() => {
  const log = (...line: unknown[]) => void logged.push(JSON.stringify(line));
  const parts = {
    ...stores,
    ceremonies: webAuthnCeremonies('http://localhost'),
    baseUrl: base(),
    now: () => new Date(at),
    trustedProxies: new BlockList(),
  };
  parts.trustedProxies.addAddress('127.0.0.1');
  deps = depsWith(parts, log);
  server.on('request', createLinkApi(deps).app);
});

interface Asked {
  readonly body?: unknown;
  readonly cookie?: string;
  readonly from?: string;
}
const ask = (method: string, path: string, { body, cookie = '', from = newAddress() }: Asked = {}) =>
  fetch(`${base()}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      Origin: base(),
      'Sec-Fetch-Site': 'same-origin',
      Cookie: cookie,
      'X-Forwarded-For': from,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const cookieOf = ({ headers }: Response) => headers.getSetCookie()[0]?.split(';')[0];
const deviceOf = ({ headers }: Response) => headers.getSetCookie()[1]?.split(';')[0];
async function newAccount(password?: string) {
  const email = `u${randomUUID()}@example.org`;
  await createAccount(deps, { email, admin: false, ...(password === undefined ? {} : { password }) }, OPERATOR);
  const { sign_in_url } = await createSignInLink(deps, email, OPERATOR);
  return { email, link: new URL(sign_in_url).pathname };
}
const signIn = (email: string, password = PASSWORD, { device = '', from = '192.0.2.1' } = {}) =>
  ask('POST', '/session', { body: { email, password }, cookie: device, from });

test('a stolen sign-in link is useless after an hour or after its use', async () => {
  const [late, used] = [await newAccount(), await newAccount()];
  at += 60 * MINUTE_MS;
  for (const method of ['GET', 'POST']) {
    const answer = await ask(method, late.link);
    expect([answer.status, cookieOf(answer)]).toEqual([410, undefined]);
  }
  at -= 1;
  expect((await ask('POST', used.link)).status).toBe(303);
  for (const method of ['GET', 'POST']) expect((await ask(method, used.link)).status).toBe(410);
});

test('a request that fails does not use the sign-in link up', async () => {
  const { link } = await newAccount();
  await db.query('ALTER TABLE sessions ADD CONSTRAINT closed CHECK (false) NOT VALID');
  try {
    expect((await ask('POST', link)).status).toBe(500);
  } finally {
    await db.query('ALTER TABLE sessions DROP CONSTRAINT closed');
  }
  const answer = await ask('POST', link);
  expect([answer.status, cookieOf(answer)]).toEqual([303, expect.any(String)]);
});

test('if the sign-in link of a new account fails, no account is created and a retry succeeds', async () => {
  const [admin, email] = [`u${randomUUID()}@example.org`, `u${randomUUID()}@example.org`];
  await createAccount(deps, { email: admin, admin: true, password: PASSWORD }, OPERATOR);
  const cookie = cookieOf(await signIn(admin))!;
  const create = () => ask('POST', '/api/v1/admin/accounts', { body: { email, sign_in_link: true }, cookie });
  await db.query('ALTER TABLE sign_in_links ADD CONSTRAINT closed CHECK (false) NOT VALID');
  try {
    expect((await create()).status).toBe(500);
  } finally {
    await db.query('ALTER TABLE sign_in_links DROP CONSTRAINT closed');
  }
  const created = await create();
  expect(created.status).toBe(201);
  const { sign_in_url } = (await created.json()) as { sign_in_url: string };
  expect((await ask('POST', new URL(sign_in_url).pathname)).status).toBe(303);
});

test('a stolen cookie is useless a week after its last use, and after 14 days', async () => {
  const { email } = await newAccount(PASSWORD);
  const [unused, cookie] = [cookieOf(await signIn(email))!, cookieOf(await signIn(email))!];
  const uses = () => db.query('SELECT 1 FROM sessions WHERE used_at = $1', [new Date(at)]);
  for (const days of [6, 6]) {
    at += days * DAY_MS;
    expect((await ask('GET', '/api/v1/account', { cookie })).status).toBe(200);
    // Requests do not wait until their time is stored.
    while ((await uses()).length === 0) await pause(10);
  }
  expect((await ask('GET', '/api/v1/account', { cookie: unused })).status).toBe(401);
  at += 2 * DAY_MS - 1;
  expect((await ask('GET', '/api/v1/account', { cookie })).status).toBe(200);
  at += 1;
  expect((await ask('GET', '/api/v1/account', { cookie })).status).toBe(401);
});

test('guessing from one network is refused after ten attempts, until 15 minutes after the first', async () => {
  const { email } = await newAccount(PASSWORD);
  for (let i = 0; i < 10; i++) expect((await signIn(email, 'wrong')).status).toBe(401);
  at += 15 * MINUTE_MS - 1;
  const refused = await signIn(email);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect((await signIn(email, PASSWORD, { from: '198.51.100.1' })).status).toBe(200);
  at += 1;
  expect((await signIn(email)).status).toBe(200);
});

test('guessing from a /48 counts as from one network, and from all networks stops at fifty, but for known browsers', async () => {
  const { email } = await newAccount(PASSWORD);
  const device = deviceOf(await signIn(email))!;
  const guess = async (from: string) => expect((await signIn(email, 'wrong', { from })).status).toBe(401);
  for (let i = 0; i < 10; i++) await guess(`2001:db8:0:${i}::1`);
  expect((await signIn(email, PASSWORD, { from: '2001:db8::1' })).status).toBe(429);
  for (let i = 0; i < 40; i++) await guess(`198.51.100.${i}`);
  const refused = await signIn(email, PASSWORD, { from: '198.51.100.99' });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '900']);
  expect((await signIn(`U${email.slice(1)}`, PASSWORD, { from: '198.51.100.98' })).status).toBe(429);
  expect((await signIn(email, PASSWORD, { device })).status).toBe(200);
  // Attempts with the cookie of this browser count together, wherever they come from.
  for (let i = 0; i < 10; i++)
    expect((await signIn(email, 'wrong', { device, from: `203.0.113.${i}` })).status).toBe(401);
  expect((await signIn(email, PASSWORD, { device })).status).toBe(429);
  at += 15 * MINUTE_MS;
  expect((await signIn(email)).status).toBe(200);
});

test('of guesses from many networks, the first, the tenth and the fiftieth are in the audit log', async () => {
  const { email } = await newAccount(PASSWORD);
  for (let i = 0; i < 52; i++) await signIn(email, 'wrong', { from: `198.51.100.${i}` });
  const refused = async () =>
    (await stores.audit.list({ limit: 50, subject: email }))
      .filter(({ outcome }) => outcome === 'refused')
      .map(({ detail }) => detail);
  // Nobody waits for these entries.
  while ((await refused()).length < 3) await pause(10);
  expect(await refused()).toEqual([
    '50 wrong passwords. Further attempts are refused for now.',
    '10 wrong passwords within 15 minutes.',
    'Wrong password.',
  ]);
});

test('behind a proxy that is not trusted, guesses do not lock the network out that all people share', async () => {
  const { email } = await newAccount(PASSWORD);
  const place = { ...NOWHERE, site: '10.0.0.1', shared: true };
  const from = { place, device: undefined, origin: UNKNOWN_ORIGIN };
  const parts = { ...deps, slotsOf: slotsByConcurrency() };
  const attempt = (password: string) =>
    beginSignIn(parts, { email, password }, from, new AbortController().signal).then(
      () => 'ok',
      ({ code }) => code,
    );
  for (let i = 0; i < 10; i++) expect(await attempt('wrong')).toBe('credentials_wrong');
  expect(await attempt(PASSWORD)).toBe('ok');
});

test('a device cookie is worth nothing for another account, or changed', async () => {
  const [mine, victim] = [await newAccount(PASSWORD), await newAccount(PASSWORD)];
  const device = deviceOf(await signIn(mine.email))!;
  expect(device).toMatch(/^waypost-device=[\w-]{22}\.[\w-]{22}$/);
  for (let i = 0; i < 10; i++) expect((await signIn(victim.email, 'wrong')).status).toBe(401);
  const [name, value] = device.split('=');
  const [id, signature] = value!.split('.');
  for (const forged of [device, `${name}=${id}`, `${name}=x${id!.slice(1)}.${signature}`, `${name}=.${signature}`])
    expect((await signIn(victim.email, PASSWORD, { device: forged })).status).toBe(429);
});

test('an attacker who guesses passwords cannot stop the owner from setting a new one and signing in', async () => {
  const { email, link } = await newAccount(PASSWORD);
  for (let i = 0; i < 10; i++) expect((await signIn(email, 'wrong')).status).toBe(401);
  expect((await signIn(email)).status).toBe(429);
  const answer = await ask('POST', link);
  const [cookie, device] = [cookieOf(answer)!, deviceOf(answer)!];
  const body = { new_password: `${PASSWORD} again` };
  expect((await ask('PUT', '/api/v1/account/password', { body, cookie })).status).toBe(200);
  expect((await signIn(email, body.new_password, { device })).status).toBe(200);
});

const NEW_PASSWORD = `${PASSWORD} again`;
const change = (cookie: string) =>
  ask('PUT', '/api/v1/account/password', {
    body: { current_password: PASSWORD, new_password: NEW_PASSWORD },
    cookie,
  });
const signOutEverywhere = (cookie: string) => ask('DELETE', '/api/v1/account/sessions', { cookie });
const callerOf = async (cookie: string) =>
  (await deps.sessions.authenticate(hashSecret(cookie.split('=')[1]!), deps.now()))!;
/** Changes to another password without HTTP, with some steps replaced. */
async function changeWith(steps: Partial<SignInDeps>, cookie: string) {
  const caller = await callerOf(cookie);
  const passwords = { current: PASSWORD, replacement: `${PASSWORD} of a thief` };
  return changePassword(
    { ...deps, slotsOf: slotsByConcurrency(), ...steps },
    caller,
    passwords,
    new AbortController().signal,
  );
}

test('a sign-in that began with the old password gets no session after the change', async () => {
  const { email } = await newAccount(PASSWORD);
  const cookie = cookieOf(await signIn(email))!;
  let changes = 0;
  const clear = async () => {
    if (changes++ === 0) expect((await change(cookie)).status).toBe(200);
  };
  const changed = {
    ...deps,
    slotsOf: slotsByConcurrency(),
    // This step runs right before the session starts, so the password changes meanwhile.
    attempts: { ...deps.attempts, clear },
  };
  const from = { place: NOWHERE, device: undefined, origin: UNKNOWN_ORIGIN };
  const late = beginSignIn(changed, { email, password: PASSWORD }, from, new AbortController().signal);
  await expect(late).rejects.toMatchObject({ code: 'credentials_wrong' });
});

const MEANWHILE = [
  ['the same session changes it', change, 'same', 'validation_failed', NEW_PASSWORD],
  ['another session changes it', change, 'other', 'credentials_wrong', NEW_PASSWORD],
  ['the owner signs out everywhere', signOutEverywhere, 'other', 'credentials_wrong', PASSWORD],
] as const;

test.each(MEANWHILE)(
  'a change of the password is refused if, while it waits, %s',
  async (_what, act, from, code, password) => {
    const { email } = await newAccount(PASSWORD);
    const [owners, others] = [cookieOf(await signIn(email))!, cookieOf(await signIn(email))!];
    const take = async () => {
      expect((await act(owners)).status).toBe(200);
      return () => undefined;
    };
    const late = changeWith({ slotsOf: () => ({ take }) }, from === 'same' ? owners : others);
    await expect(late).rejects.toMatchObject({ code });
    expect((await signIn(email, password)).status).toBe(200);
  },
);

test.each(MEANWHILE)(
  'a deletion of the account is refused if, before it completes, %s',
  async (_what, act, from, code, password) => {
    const { email } = await newAccount(PASSWORD);
    const [owners, others] = [cookieOf(await signIn(email))!, cookieOf(await signIn(email))!];
    const caller = await callerOf(from === 'same' ? owners : others);
    const proven = {
      ...deps,
      slotsOf: slotsByConcurrency(),
      // This step runs right before the deletion, so `act` happens meanwhile.
      attempts: { ...deps.attempts, clear: async () => expect((await act(owners)).status).toBe(200) },
    };
    const late = deleteOwnAccount(proven, caller, { email, current: PASSWORD }, new AbortController().signal);
    await expect(late).rejects.toMatchObject({ code });
    expect((await signIn(email, password)).status).toBe(200);
  },
);

test('a failed change of the password can be retried, and then ends all other sessions', async () => {
  const { email } = await newAccount(PASSWORD);
  const [owners, thiefs] = [cookieOf(await signIn(email))!, cookieOf(await signIn(email))!];
  const clear = () => Promise.reject(unavailable('The database cannot be reached right now.'));
  const failing = changeWith({ attempts: { ...deps.attempts, clear } }, owners);
  await expect(failing).rejects.toMatchObject({ code: 'unavailable' });
  expect((await change(owners)).status).toBe(200);
  expect((await ask('GET', '/api/v1/account', { cookie: owners })).status).toBe(200);
  expect((await ask('GET', '/api/v1/account', { cookie: thiefs })).status).toBe(401);
});

test('a wrong password costs the same CPU time without an account or a stored password', async () => {
  const { email: existing } = await newAccount(PASSWORD);
  const { email: without } = await newAccount();
  const cost = async (email: string) => {
    const before = process.cpuUsage();
    expect((await signIn(email, 'wrong wrong wrong', { from: newAddress() })).status).toBe(401);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  // Other work only adds to a cost, so the least of several is compared.
  const least = { existing: Infinity, without: Infinity, unknown: Infinity };
  for (let round = 0; round < 7; round++) {
    least.existing = Math.min(least.existing, await cost(existing));
    least.without = Math.min(least.without, await cost(without));
    least.unknown = Math.min(least.unknown, await cost(`u${randomUUID()}@example.org`));
  }
  for (const each of [least.unknown, least.without]) {
    expect(each).toBeGreaterThan(least.existing / 1.6);
    expect(each).toBeLessThan(least.existing * 1.6);
  }
});

test('no parameter of a sign-in can redirect to another site', async () => {
  const { link } = await newAccount();
  for (const query of ['next=https://evil.example', 'redirect=//evil.example', 'return_to=%2F%5Cevil.example'])
    expect((await ask('GET', `${link}?${query}`)).status).toBe(200);
  const answer = await ask('POST', `${link}?next=https://evil.example&url=//evil.example`);
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
});

test('no page or answer may be framed', async () => {
  const { link } = await newAccount();
  for (const path of [link, '/sign-in/used-up', '/docs', '/session/options', '/api/v1/account', '/nothing']) {
    const policy = (await ask('GET', path)).headers.get('content-security-policy');
    expect([path, policy]).toEqual([path, expect.stringContaining("frame-ancestors 'none'")]);
  }
});

test('the log contains no password, session, link or key, wherever a caller sends it', async () => {
  const { email, link } = await newAccount(PASSWORD);
  const cookie = cookieOf(await signIn(email))!;
  await ask('POST', link, { cookie });
  const session = cookieOf(await signIn(email))!;
  const body = { name: 'laptop', scopes: ['read'] };
  const createdKey = await ask('POST', '/api/v1/account/keys', { body, cookie: session });
  const { key } = (await createdKey.json()) as { key: string };
  await fetch(`${base()}/api/v1/account`, { headers: { Authorization: `Bearer ${key}` } });
  for (const path of [`/${key}`, `/api/v1/links/${key}`, `/api/v1/account?key=${key}`, `/api/v1/account/keys/x${key}`])
    await ask('GET', path);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const lines = logged.join('\n');
  expect(lines).toContain('/api/v1/account/keys');
  for (const secret of [PASSWORD, cookie.split('=')[1]!, session.split('=')[1]!, link.split('/').at(-1)!, key, email])
    expect(lines).not.toContain(secret);
});

test('one address may try to sign in 60 times in a minute', async () => {
  const broken = () => ask('POST', '/session', { body: {}, from: '198.51.100.200' });
  for (let i = 0; i < 60; i++) expect((await broken()).status).toBe(400);
  const refused = await broken();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  at += MINUTE_MS;
  expect((await broken()).status).toBe(400);
});
