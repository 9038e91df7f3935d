import { expect, test } from '@jest/globals';
import { administrator } from '../moderation/administrator.ts';
import { cookieOf, PASSWORD, people } from '../people.ts';
import { product } from '../product.ts';
import { expectError, UUID } from '../support.ts';
import { apiClient, type Json } from '../waypost-process.ts';
import { passkey } from './authenticator.ts';

const { waypost } = product();
const { browser, signIn, newAccount, byLink } = people(waypost);
const { admin, entriesAbout } = administrator(waypost);

type Ask = ReturnType<typeof browser>;
const page = () => ({ origin: `http://localhost:${new URL(waypost.api).port}`, rpId: 'localhost' });
const CREDENTIALS = '/api/v1/account/credentials';

/** An account in which a thief has a session, and has added whatever outlives it. */
async function robbed() {
  const { email, cookie, ask } = await newAccount();
  const thief = cookieOf(await signIn(email));
  const asThief = browser(thief);
  const own = passkey();
  const { challenge, user } = (await asThief('POST', '/api/v1/account/passkeys/challenge')).body;
  const created = own.create({ ...page(), challenge });
  const passkeyId = (await asThief('POST', '/api/v1/account/passkeys', { name: 'thief', passkey: created })).body.id;
  const key = (await asThief('POST', '/api/v1/account/keys', { name: 'thief', scopes: ['read', 'write'] })).body;
  const hook = { url: 'https://thief.example.org/', events: ['link.created'] };
  const webhook = (await asThief('POST', '/api/v1/webhooks', hook)).body;
  const byPasskey = async () => {
    const { body } = await browser()('POST', '/session/passkey/challenge');
    const id = Buffer.from(user.id, 'base64url').toString();
    return own.sign({ ...page(), challenge: body.challenge }, id);
  };
  expect((await browser()('POST', '/session/passkey', { passkey: await byPasskey() })).status).toBe(200);
  return { email, cookie, ask, thief, key, byPasskey, ids: [passkeyId, key.id, webhook.id] as string[] };
}

async function expectThrownOut({ thief, key, byPasskey, email }: Awaited<ReturnType<typeof robbed>>) {
  expectError(await browser(thief)('GET', '/api/v1/account'), 401);
  expectError(await apiClient(waypost.api, key.key)('GET', '/api/v1/account'), 401);
  expectError(await browser()('POST', '/session/passkey', { passkey: await byPasskey() }), 401);
  expect(await waypost.admin<Json>('list-credentials', { email })).toMatchObject({
    passkeys: [],
    keys: [],
    webhooks: [],
  });
}

test('"this was not me" throws a thief out: session, passkey, key and webhook; the owner stays', async () => {
  const account = await robbed();
  const { email, cookie, ask, ids } = account;
  const { body: all } = await ask('GET', CREDENTIALS);
  expect(all).toMatchObject({
    email,
    has_password: true,
    sessions: [{ via: 'passkey' }, { via: 'password' }, { current: true }],
    passkeys: [{ name: 'thief' }],
    identities: [],
    keys: [{ name: 'thief' }],
    webhooks: [{ url: 'https://thief.example.org/' }],
  });
  const added = [...all.passkeys, ...all.keys, ...all.webhooks];
  expect(added.map(({ id }: Json) => id)).toEqual(ids);
  for (const { created_at } of added) expect(Date.now() - Date.parse(created_at)).toBeLessThan(60_000);

  const other = await newAccount();
  expectError(await other.ask('POST', '/api/v1/account/secure', { remove: ids }), 404, [
    'remove[0]',
    'remove[1]',
    'remove[2]',
  ]);
  const answer = await ask('POST', '/api/v1/account/secure', { remove: ids });
  expect([answer.status, answer.body]).toMatchObject([
    200,
    { sessions: [{ current: true }], passkeys: [], keys: [], webhooks: [] },
  ]);
  await expectThrownOut(account);
  expectError(await browser(cookie)('GET', '/api/v1/account'), 401);
  expect((await browser(cookieOf(answer))('GET', '/api/v1/account')).body.email).toBe(email);
  const actions = (await entriesAbout(email)).map(({ action }) => action);
  expect(actions).toEqual(
    expect.arrayContaining(['account.secured', 'passkey.deleted', 'key.deleted', 'session.started']),
  );
});

test.each<[string, (email: string, ids: readonly string[]) => Promise<unknown>]>([
  [
    'an administrator',
    async (email, remove) => {
      const { body } = await admin('GET', `/api/v1/admin/accounts/${email}/credentials`);
      expect([...body.passkeys, ...body.keys, ...body.webhooks].map(({ id }: Json) => id)).toEqual(remove);
      return (await admin('POST', `/api/v1/admin/accounts/${email}/secure`, { remove, password: true })).body;
    },
  ],
  [
    'an operator, by name',
    (email, ids) => waypost.admin('secure-account', { email, remove: ids.join(','), password: true }),
  ],
  ['an operator', (email) => waypost.admin('secure-account', { email, all: true, password: true })],
])(
  '%s throws everybody out of an account, the password too; a sign-in link lets its owner in',
  async (_who, secure) => {
    const account = await robbed();
    const { email, ask, ids } = account;
    const { sign_in_url } = await waypost.admin<Json>('sign-in-link', { email });
    expect(await secure(email, ids)).toMatchObject({
      email,
      has_password: false,
      sessions: [],
      passkeys: [],
      keys: [],
    });
    await expectThrownOut(account);
    expectError(await ask('GET', '/api/v1/account'), 401);
    expectError(await signIn(email), 401);
    expect((await fetch(`${waypost.api}${new URL(sign_in_url).pathname}`)).status).toBe(410);
    const again: Ask = browser(await byLink(email));
    expect((await again('PUT', '/api/v1/account/password', { new_password: PASSWORD })).status).toBe(200);
    expect((await signIn(email)).status).toBe(200);
  },
);

test('an account that is not there, or an id that is none, changes nothing', async () => {
  const { email, cookie } = await newAccount();
  expectError(await admin('GET', '/api/v1/admin/accounts/nobody@example.org/credentials'), 404);
  expectError(await admin('POST', '/api/v1/admin/accounts/nobody@example.org/secure', {}), 404);
  for (const remove of [['x'], [crypto.randomUUID()]])
    expectError(await admin('POST', `/api/v1/admin/accounts/${email}/secure`, { remove }), 404, ['remove[0]']);
  const many = Array.from({ length: 101 }, () => crypto.randomUUID());
  expectError(await admin('POST', `/api/v1/admin/accounts/${email}/secure`, { remove: many }), 400, ['remove']);
  expect((await browser(cookie)('GET', '/api/v1/account')).status).toBe(200);
});

test('a passkey proves the session, which gets another cookie', async () => {
  const { email, ask } = await newAccount();
  const own = passkey();
  const { challenge, user } = (await ask('POST', '/api/v1/account/passkeys/challenge')).body;
  await ask('POST', '/api/v1/account/passkeys', { name: 'phone', passkey: own.create({ ...page(), challenge }) });
  const assert = async () => {
    const { body } = await browser()('POST', '/session/passkey/challenge');
    return own.sign({ ...page(), challenge: body.challenge }, Buffer.from(user.id, 'base64url').toString());
  };
  const other = await newAccount();
  expectError(await other.ask('POST', '/api/v1/account/proof', { passkey: await assert() }), 400, ['passkey']);
  const proof = await ask('POST', '/api/v1/account/proof', { passkey: await assert() });
  expect([proof.status, proof.body]).toEqual([200, { done: true }]);
  expectError(await ask('GET', '/api/v1/account'), 401);
  expect((await browser(cookieOf(proof))('GET', '/api/v1/account')).body.email).toBe(email);
  const [device] = (await browser(cookieOf(proof))('GET', CREDENTIALS)).body.devices;
  expect(device).toMatchObject({ id: expect.stringMatching(UUID), country: 'ZZ', known: true });
});
