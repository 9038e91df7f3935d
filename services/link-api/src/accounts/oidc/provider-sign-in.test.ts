import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { OPERATOR } from '@waypost/domain';
import { type Person, type TestProvider, testProvider } from '@waypost/test-support/test-provider';
import { depsWith, testServer } from '../../../test/link-api-under-test.ts';
import { openStores } from '../../../test/stores.ts';
import { createLinkApi } from '../../app.ts';
import { createAccount, createSignInLink } from '../accounts.ts';
import type { ProviderPolicy } from './identity-provider.port.ts';
import { openIdProvider } from './provider.adapter.ts';

const CALLBACK = '/session/oidc/callback';
const logged: string[] = [];
let stores: Awaited<ReturnType<typeof openStores>>;
let provider: TestProvider;
let app: RequestListener;
const { server, base } = testServer();
server.on('request', (request, response) => app(request, response));

/** From now on the test server runs a link-api with these settings. */
function configure(policy: ProviderPolicy, overrides: { issuer?: string } = {}): void {
  const log = (...line: unknown[]) => void logged.push(JSON.stringify(line));
  const { issuer, clientId, clientSecret } = { ...provider, ...overrides };
  const { logger } = depsWith({}, log);
  const parts = {
    ...stores,
    byProvider: {
      ...policy,
      provider: openIdProvider({ issuer, clientId, clientSecret, name: 'Example ID', logger, allowHttp: true }),
    },
    baseUrl: base(),
  };
  app = createLinkApi(depsWith(parts, log)).app;
}

beforeAll(async () => {
  stores = await openStores();
  provider = await testProvider(`${base()}${CALLBACK}`);
});
afterAll(() => provider.stop());

const ours = () => ({ Origin: base(), 'Sec-Fetch-Site': 'same-origin' });
const setCookies = ({ headers }: Response) => headers.getSetCookie().map((set) => set.split(';')[0]!);

async function begin(path = '/session/oidc', session = '') {
  const headers = { ...ours(), ...(session !== '' && { Cookie: session }) };
  const answer = await fetch(`${base()}${path}`, { method: 'POST', headers });
  expect(answer.status).toBe(200);
  const { url } = (await answer.json()) as { url: string };
  return { url, cookie: setCookies(answer)[0]!, set: answer.headers.getSetCookie()[0]! };
}
const finish = (callback: URL, cookie?: string) =>
  fetch(callback, { redirect: 'manual', headers: cookie === undefined ? {} : { Cookie: cookie } });

async function signIn(person?: Person) {
  const { url, cookie } = await begin();
  return finish(await provider.signIn(url, person), cookie);
}
const sessionIn = (answer: Response) => setCookies(answer).find((set) => /^waypost=./.test(set));
const account = (cookie: string) => fetch(`${base()}/api/v1/account`, { headers: { Cookie: cookie } });
async function emailOf(answer: Response): Promise<string> {
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
  return ((await (await account(sessionIn(answer)!)).json()) as { email: string }).email;
}
async function expectRefusal(answer: Response, status: number, words: RegExp) {
  const text = await answer.text();
  expect([status, text]).toEqual([answer.status, expect.stringMatching(words)]);
  expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
  expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(sessionIn(answer)).toBeUndefined();
}
const newPerson = (domain = 'example.org', verified = true): Person & { email: string } => ({
  subject: randomUUID(),
  email: `u${randomUUID()}@${domain}`,
  verified,
});
const NOW = { now: () => new Date() };
const newAccount = (email: string, admin = false) =>
  createAccount({ ...stores, ...NOW, baseUrl: '' }, { email, admin }, OPERATOR);

describe('without linkByEmail and allowed domains', () => {
  beforeAll(() => configure({ linkByEmail: false, allowedDomains: [] }));

  test('nobody gets a new account or the account with the same address', async () => {
    const person = newPerson();
    await expectRefusal(await signIn(person), 403, /There is no account for u/);
    await newAccount(person.email);
    await expectRefusal(await signIn(person), 403, /An account with the e-mail address .* already exists/);
  });

  test('the sign-in page gets the name for its button', async () => {
    expect(await (await fetch(`${base()}/session/options`)).json()).toEqual({ provider: { name: 'Example ID' } });
  });
});

describe('with linkByEmail and an allowed domain', () => {
  beforeAll(async () => {
    configure({ linkByEmail: true, allowedDomains: ['example.org'] });
    await newAccount(newPerson().email);
  });

  test('the browser visits the provider with PKCE, state and nonce, and returns to a new session', async () => {
    const { url, cookie, set } = await begin();
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      client_id: 'waypost',
      redirect_uri: `${base()}${CALLBACK}`,
      response_type: 'code',
      scope: 'openid email',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(set).toMatch(/^waypost-sign-in=[\w.-]{131}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
    const person = newPerson();
    const answer = await finish(await provider.signIn(url, person), cookie);
    expect(setCookies(answer)).toContain('waypost-sign-in=');
    expect(answer.headers.getSetCookie().find((each) => each.startsWith('waypost='))).toMatch(
      /HttpOnly; SameSite=Strict$/,
    );
    expect(await emailOf(answer)).toBe(person.email);
  });

  test('a person keeps the account when the e-mail address at the provider changes', async () => {
    const person = newPerson();
    await emailOf(await signIn(person));
    expect(await emailOf(await signIn({ ...person, email: newPerson().email }))).toBe(person.email);
    expect(await emailOf(await signIn({ subject: person.subject }))).toBe(person.email);
  });

  test('an account is linked to the first identity with its address, and refuses another one', async () => {
    const person = newPerson('elsewhere.example');
    await newAccount(person.email);
    expect(await emailOf(await signIn({ ...person, email: person.email.toUpperCase() }))).toBe(person.email);
    await expectRefusal(await signIn({ ...person, subject: 'another' }), 403, /connected to another identity/);
    expect(await emailOf(await signIn(person))).toBe(person.email);
  });

  test('an administrator is not linked by an address alone, and the link of another account is in the audit log', async () => {
    const [admin, person] = [newPerson(), newPerson('elsewhere.example')];
    await newAccount(admin.email, true);
    await expectRefusal(await signIn(admin), 403, /is an administrator\. .* connect the provider in the settings/);
    const { id } = await newAccount(person.email);
    await emailOf(await signIn(person));
    const [identity] = await stores.identities.list(id);
    expect(await stores.audit.list({ limit: 2, subject: person.email })).toMatchObject([
      { action: 'session.started', via: 'provider', account: person.email },
      { action: 'identity.linked', via: 'provider', subject: identity!.id, detail: provider.issuer },
    ]);
  });

  test('a sign-in ends the earlier session, although its cookie does not come from the provider', async () => {
    const earlier = sessionIn(await signIn(newPerson()))!;
    const { url, cookie } = await begin('/session/oidc', earlier);
    await emailOf(await finish(await provider.signIn(url, newPerson()), cookie));
    expect((await account(earlier)).status).toBe(401);
  });

  describe('in a session', () => {
    /** An administrator who has just signed in by a link. */
    async function newOwner() {
      const { email } = newPerson();
      const { id } = await newAccount(email, true);
      const { sign_in_url } = await createSignInLink({ ...stores, ...NOW, baseUrl: base() }, email, OPERATOR);
      const answer = await fetch(sign_in_url, { method: 'POST', redirect: 'manual', headers: ours() });
      return { id, email, cookie: setCookies(answer)[0]! };
    }
    const LINK = '/api/v1/account/identities';
    const PROVE = '/api/v1/account/proof/provider';
    const at = async (path: string, session: string, person: Person) => {
      const { url, cookie } = await begin(path, session);
      return finish(await provider.signIn(url, person), cookie);
    };

    test('an identity is connected with a proof, proves, is listed, and signs nobody in once it is removed', async () => {
      const [{ id, email, cookie }, person] = [await newOwner(), newPerson('elsewhere.example')];
      const linked = await at(LINK, cookie, person);
      expect([linked.status, sessionIn(linked)]).toEqual([303, undefined]);
      expect(await emailOf(await signIn(person))).toBe(email);
      await stores.db.query("UPDATE sessions SET proved_at = proved_at - interval '15 minutes'");
      const refused = await fetch(`${base()}${LINK}`, { method: 'POST', headers: { ...ours(), Cookie: cookie } });
      expect([refused.status, await refused.json()]).toMatchObject([403, { details: { proof: 'is required' } }]);

      const proven = sessionIn(await at(PROVE, cookie, person))!;
      expect((await account(cookie)).status).toBe(401);
      const [identity] = await stores.identities.list(id);
      const path = `${base()}/api/v1/account/identities/${identity!.id}`;
      const remove = () => fetch(path, { method: 'DELETE', headers: { ...ours(), Cookie: proven } });
      expect([(await remove()).status, (await remove()).status]).toEqual([200, 404]);
      await expectRefusal(await signIn(person), 403, /is no account for/);
      const changes = (await stores.audit.list({ limit: 20, subject: identity!.id })).map(({ action }) => action);
      expect(changes).toEqual(['identity.removed', 'identity.linked']);
    });

    test('an identity of another account neither proves nor is connected', async () => {
      const [{ cookie }, person] = [await newOwner(), newPerson()];
      await emailOf(await signIn(person));
      await expectRefusal(await at(LINK, cookie, person), 403, /belongs to another account/);
      await expectRefusal(await at(PROVE, cookie, person), 403, /does not belong to your account/);
      expect((await account(cookie)).status).toBe(200);
    });

    test('nothing is connected or proven if the session ended at the provider, or its proof got old', async () => {
      const [{ id, cookie }, person] = [await newOwner(), newPerson()];
      const [old, late] = [await begin(LINK, cookie), await begin(PROVE, cookie)];
      await stores.db.query("UPDATE sessions SET proved_at = proved_at - interval '15 minutes'");
      await expectRefusal(
        await finish(await provider.signIn(old.url, person), old.cookie),
        403,
        /Confirm your identity first/,
      );
      await fetch(`${base()}/session`, { method: 'DELETE', headers: { ...ours(), Cookie: cookie } });
      await expectRefusal(await finish(await provider.signIn(late.url, person), late.cookie), 401, /has ended/);
      expect(await stores.identities.list(id)).toEqual([]);
    });
  });

  test('an address is refused if it is not verified or is of another domain', async () => {
    const person = newPerson();
    await newAccount(person.email);
    await expectRefusal(await signIn({ ...person, verified: false }), 403, /has not verified your e-mail address/);
    await expectRefusal(await signIn({ subject: randomUUID() }), 403, /has not verified/);
    for (const domain of ['example.org.evil.example', 'evil-example.org', 'sub.example.org'])
      await expectRefusal(await signIn(newPerson(domain)), 403, /There is no account for/);
  });

  test('cancelling at the provider leads to a page with an error', async () => {
    await expectRefusal(await signIn(), 401, /is not valid\. Start the sign-in again/);
  });

  test('an answer works once, and only in the browser that started the sign-in', async () => {
    const [mine, others] = [await begin(), await begin()];
    const callback = await provider.signIn(mine.url, newPerson());
    await expectRefusal(await finish(callback), 400, /has expired, or was started in another browser/);
    // The callback belongs to another sign-in, so its state does not match this cookie.
    await expectRefusal(await finish(callback, others.cookie), 401, /is not valid/);
    for (const bad of ['', 'a.b.c', `${mine.cookie}.x`.split('=')[1]])
      await expectRefusal(await finish(callback, `waypost-sign-in=${bad}`), 400, /was started in another browser/);
    await emailOf(await finish(callback, mine.cookie));
    // A callback must not work a second time.
    await expectRefusal(await finish(callback, mine.cookie), 401, /is not valid/);
  });

  test('a code of another sign-in is refused even with the right state', async () => {
    const [mine, attackers] = [await begin(), await begin()];
    const stolen = await provider.signIn(attackers.url, newPerson());
    const injected = await provider.signIn(mine.url, newPerson());
    injected.searchParams.set('code', stolen.searchParams.get('code')!);
    await expectRefusal(await finish(injected, mine.cookie), 401, /is not valid/);
  });

  test('the answer can neither redirect to another site nor add markup to a page', async () => {
    const { url, cookie } = await begin();
    const callback = await provider.signIn(url, newPerson());
    for (const name of ['next', 'redirect', 'return_to', 'url'])
      callback.searchParams.set(name, 'https://evil.example/');
    await emailOf(await finish(callback, cookie));
    const markup = new URL(`${base()}${CALLBACK}?error=<script>alert(1)</script>&error_description=<b>&state=x`);
    const answer = await finish(markup, (await begin()).cookie);
    expect(await answer.text()).not.toMatch(/<script|<b>alert/);
  });

  test('a page of another site cannot start a sign-in', async () => {
    const headers = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' };
    expect((await fetch(`${base()}/session/oidc`, { method: 'POST', headers })).status).toBe(403);
    expect((await fetch(`${base()}/session/oidc`)).status).toBe(405);
  });

  test('the log contains no code, secret or token', async () => {
    const { url, cookie } = await begin();
    const callback = await provider.signIn(url, newPerson());
    const answer = await finish(callback, cookie);
    await finish(callback, cookie);
    const secrets = [
      callback.searchParams.get('code')!,
      provider.clientSecret,
      cookie,
      sessionIn(answer)!.split('=')[1]!,
    ];
    expect(logged.length).toBeGreaterThan(0);
    for (const secret of secrets) expect(logged.join('\n')).not.toContain(secret);
  });
});

/** Calls the callback with a cookie that fits, although nobody visited the provider. */
function comeBack() {
  const checks = ['x', 'y', 'z'].map((each) => each.repeat(43));
  const query = new URLSearchParams({ code: 'x', state: checks[0]!, iss: provider.issuer });
  return finish(new URL(`${base()}${CALLBACK}?${query}`), `waypost-sign-in=${checks.join('.')}`);
}

test('one address may call the callback 60 times in a minute', async () => {
  configure({ linkByEmail: false, allowedDomains: [] });
  const refusals = () => logged.filter((line) => line.includes('"why":"invalid_grant"')).length;
  const before = refusals();
  for (let i = 0; i < 60; i++) await expectRefusal(await comeBack(), 401, /is not valid/);
  const refused = await comeBack();
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(30);
  await expectRefusal(refused, 429, /Too many requests from your IP address/);
  expect(refusals() - before).toBe(60);
});

test('an error says that the provider is down, and everything else still works', async () => {
  configure({ linkByEmail: false, allowedDomains: [] }, { issuer: 'http://127.0.0.1:1' });
  const answer = await fetch(`${base()}/session/oidc`, { method: 'POST', headers: ours() });
  expect([answer.status, Number(answer.headers.get('retry-after'))]).toEqual([503, 5]);
  expect(await answer.json()).toMatchObject({ message: expect.stringContaining('Sign-in with Example ID') });
  await expectRefusal(await comeBack(), 503, /does not respond/);
  expect((await fetch(`${base()}/session/options`)).status).toBe(200);
});

test('a provider cannot create the first account', async () => {
  stores = await openStores();
  configure({ linkByEmail: true, allowedDomains: ['example.org'] });
  await expectRefusal(await signIn(newPerson()), 403, /no accounts yet/);
  expect(await stores.accounts.any()).toBe(false);
});
