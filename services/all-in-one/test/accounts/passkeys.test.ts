import { describe, expect, test } from '@jest/globals';
import { cookieOf, people } from '../people.ts';
import { product } from '../product.ts';
import { expectError, ISO_TIME, tally, times, UUID } from '../support.ts';
import type { Json } from '../waypost-process.ts';
import { type Ceremony, passkey } from './authenticator.ts';

const { waypost, newClient } = product();
const { browser, newAccount } = people(waypost);

type Ask = ReturnType<typeof browser>;
/** The origin must equal that of BASE_URL. */
const page = () => ({ origin: `http://localhost:${new URL(waypost.api).port}`, rpId: 'localhost' });

const PATH = '/api/v1/account/passkeys';
const begin = async (ask: Ask): Promise<Json> => (await ask('POST', `${PATH}/challenge`)).body;
const signInChallenge = async (): Promise<Ceremony> => {
  const { status, body } = await browser()('POST', '/session/passkey/challenge');
  expect([status, body]).toEqual([
    200,
    {
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rpId: 'localhost',
      timeout: 300_000,
      userVerification: 'required',
    },
  ]);
  return { ...page(), challenge: body.challenge };
};
const signIn = (assertion: Json, cookie?: string) =>
  browser(cookie)('POST', '/session/passkey', { passkey: assertion });

async function newOwner(counter = 0) {
  const account = await newAccount();
  const own = passkey();
  const { challenge, user } = await begin(account.ask);
  const added = await account.ask('POST', PATH, {
    name: 'phone',
    passkey: own.create({ ...page(), challenge, counter }),
  });
  expect(added.status).toBe(201);
  const accountId = Buffer.from(user.id, 'base64url').toString();
  return {
    ...account,
    own,
    accountId,
    id: added.body.id as string,
    sign: async (more: Partial<Ceremony> = {}) => own.sign({ ...(await signInChallenge()), ...more }, accountId),
  };
}

describe('a passkey', () => {
  test('is added with a name, signs in without an e-mail address, is listed with its use, and removed', async () => {
    const { email, ask, cookie, id, sign, own } = await newOwner();
    const options = await begin(ask);
    expect(options).toMatchObject({
      rp: { id: 'localhost', name: 'Waypost' },
      user: { name: email },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [{ id: own.id }],
    });
    const listed = { id: expect.stringMatching(UUID), name: 'phone', created_at: expect.stringMatching(ISO_TIME) };
    expect((await ask('GET', PATH)).body).toEqual({ data: [{ ...listed, last_used_at: null }], limit: 10 });

    const answer = await signIn(await sign(), cookie);
    expect([answer.status, answer.body]).toEqual([200, { email, admin: false }]);
    expect(answer.headers.getSetCookie()[0]).toMatch(/^waypost=[\w-]{43};.*HttpOnly; SameSite=Strict$/);
    expectError(await ask('GET', '/api/v1/account'), 401);
    const again = browser(cookieOf(answer));
    expect((await again('GET', PATH)).body.data).toEqual([
      { ...listed, last_used_at: expect.stringMatching(ISO_TIME) },
    ]);

    expect((await again('DELETE', `${PATH}/${id}`)).body).toEqual({ id });
    expectError(await again('DELETE', `${PATH}/${id}`), 404);
    expectError(await signIn(await sign()), 401);
  });

  test('is not added with a wrong name, twice, or from another page', async () => {
    const { ask, own } = await newOwner();
    const fresh = async (more: Partial<Ceremony> = {}) =>
      passkey().create({ ...page(), challenge: (await begin(ask)).challenge, ...more });
    for (const name of [' ', 'x'.repeat(101), 'a\nb'])
      expectError(await ask('POST', PATH, { name, passkey: await fresh() }), 400, ['name']);
    const registered = own.create({ ...page(), challenge: (await begin(ask)).challenge });
    expectError(await ask('POST', PATH, { name: 'again', passkey: registered }), 409);
    for (const wrong of [
      await fresh({ origin: 'https://evil.example' }),
      await fresh({ rpId: 'evil.example' }),
      await fresh({ userVerified: false }),
      await fresh({ challenge: 'A'.repeat(43) }),
      await fresh({ challenge: (await signInChallenge()).challenge }),
      { id: 'x', response: { clientDataJSON: 'x', attestationObject: 'x' } },
      { id: 'x', response: { clientDataJSON: 'bnVsbA', attestationObject: 'x' } },
    ])
      expectError(await ask('POST', PATH, { name: 'x', passkey: wrong }), 400, ['passkey']);
    expectError(await ask('POST', PATH, { name: 'x', passkey: { id: 'x' } }), 400, ['passkey.response']);
    const long = { id: 'x'.repeat(1_401), response: { clientDataJSON: '', attestationObject: 'x'.repeat(8_001) } };
    expectError(await ask('POST', PATH, { name: 'x', passkey: long }), 400, [
      'passkey.id',
      'passkey.response.attestationObject',
      'passkey.response.clientDataJSON',
    ]);
    expect((await ask('GET', PATH)).body.data).toHaveLength(1);
  });

  test('with a certificate is refused: it could make the server fetch an address', async () => {
    const { ask } = await newAccount();
    const { challenge } = await begin(ask);
    const certified = passkey().create({ ...page(), challenge }, [
      'packed',
      new Map<string, number | Buffer | Buffer[]>([
        ['alg', -7],
        ['sig', Buffer.alloc(70)],
        ['x5c', [Buffer.alloc(300)]],
      ]),
    ]);
    expectError(await ask('POST', PATH, { name: 'x', passkey: certified }), 400, ['passkey']);
  });

  test('is refused as the eleventh of an account, even if ten are added at once', async () => {
    const { ask } = await newAccount();
    const add = async () => {
      const { challenge } = await begin(ask);
      return ask('POST', PATH, { name: 'one of many', passkey: passkey().create({ ...page(), challenge }) });
    };
    for (let count = 0; count < 5; count++) expect((await add()).status).toBe(201);
    // Only ten run together, because an account has at most ten challenges.
    const answers = await Promise.all(times(10, add));
    expect(tally(answers)).toEqual({ 201: 5, 409: 5 });
    expect((await add()).body.message).toBe('An account may have up to 10 passkeys. Delete one first.');
  });

  test('is not created, listed or removed with a key, or by another account', async () => {
    const api = await newClient('admin', { admin: true });
    const { id, sign } = await newOwner();
    expectError(await api('GET', PATH), 403);
    expectError(await api('POST', `${PATH}/challenge`), 403);
    expectError(await api('DELETE', `${PATH}/${id}`), 403);
    const other = await newAccount();
    expect((await other.ask('GET', PATH)).body.data).toEqual([]);
    expectError(await other.ask('DELETE', `${PATH}/${id}`), 404);
    for (const odd of ['%00', 'x', '%F0%9F%98%80']) expectError(await other.ask('DELETE', `${PATH}/${odd}`), 404);
    expect((await signIn(await sign())).status).toBe(200);
  });
});

describe('a sign-in with a passkey', () => {
  test('that is replayed is refused, also when several come at once', async () => {
    const { sign } = await newOwner();
    const assertion = await sign();
    const answers = await Promise.all(times(5, () => signIn(assertion)));
    expect(tally(answers)).toEqual({ 200: 1, 401: 4 });
    const refused = await signIn(assertion);
    expectError(refused, 401);
    expect(refused.headers.getSetCookie()).toEqual([]);
  });

  test('is refused for a wrong origin, site or challenge, or without a verified user', async () => {
    const { sign, ask } = await newOwner();
    const refused = [
      await sign({ origin: 'https://evil.example' }),
      await sign({ origin: page().origin.replace('localhost', 'localhost.evil.example') }),
      await sign({ rpId: 'evil.example' }),
      await sign({ userVerified: false }),
      await sign({ challenge: 'A'.repeat(43) }),
      await sign({ challenge: (await begin(ask)).challenge }),
    ];
    const answers = await Promise.all(refused.map((assertion) => signIn(assertion)));
    for (const answer of answers) expectError(answer, 401);
    expect(new Set(answers.map(({ body }) => body.message)).size).toBe(1);
  });

  test('opens only the account of its passkey', async () => {
    const [one, other] = [await newOwner(), await newOwner()];
    const mine = await one.sign();
    expectError(await signIn({ ...mine, id: other.own.id }), 401); // my signature with their passkey
    expectError(await signIn(one.own.sign(await signInChallenge(), other.accountId)), 401); // my passkey, their account
    const unregistered = passkey().sign(await signInChallenge(), one.accountId);
    expectError(await signIn(unregistered), 401);
  });

  test('is refused when the counter does not rise: the authenticator was copied', async () => {
    const { sign } = await newOwner(5);
    expect((await signIn(await sign({ counter: 7 }))).status).toBe(200);
    for (const counter of [0, 6, 7]) expectError(await signIn(await sign({ counter })), 401);
    expect((await signIn(await sign({ counter: 8 }))).status).toBe(200);
  });

  test('is refused from another site, and for malformed or large bodies', async () => {
    const { sign } = await newOwner();
    const foreign = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' };
    const body = { passkey: await sign() };
    expectError(await browser()('POST', '/session/passkey', body, foreign), 403);
    expectError(await browser()('POST', '/session/passkey/challenge', undefined, foreign), 403);
    for (const wrong of [{}, { passkey: 1 }, { passkey: { id: 1, response: [] } }])
      expect((await browser()('POST', '/session/passkey', wrong)).status).toBe(400);
    expectError(await signIn({ id: 'x'.repeat(20_000) }), 413);
    expectError(await signIn({ ...body.passkey, id: 'x\0' }), 400, ['passkey.id']);
    expect((await browser()('POST', '/session/passkey', body)).status).toBe(200);
  });
});
