/** Signing in by a real provider of OpenID Connect, as the browser sees it, and what attacks on it meet. */
import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openIdProvider } from '@waypost/adapter-oidc';
import { OPERATOR } from '@waypost/domain';
import type { ProviderPolicy } from '@waypost/ports';
import { type Person, type TestProvider, testProvider } from '../../../../libs/adapter-oidc/test/test-provider.ts';
import { openStores } from '../../../../libs/adapter-postgres/test/links-under-test.ts';
import { depsWith, testServer } from '../../test/link-api-under-test.ts';
import { createLinkApi } from '../app.ts';

const CALLBACK = '/session/oidc/callback';
const logged: string[] = [];
let stores: Awaited<ReturnType<typeof openStores>>;
let provider: TestProvider;
let app: RequestListener;
const { server, base } = testServer();
server.on('request', (request, response) => app(request, response));

/** From now on the address answers as a Waypost with these settings. */
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

/** The first half: the address at the provider, and the cookie of the browser. */
async function begin() {
  const answer = await fetch(`${base()}/session/oidc`, { method: 'POST', headers: ours() });
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
async function emailOf(answer: Response): Promise<string> {
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
  const account = await fetch(`${base()}/api/v1/account`, { headers: { Cookie: sessionIn(answer)! } });
  return ((await account.json()) as { email: string }).email;
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
const newAccount = (email: string) => stores.accounts.create({ email, admin: false, passwordHash: null }, OPERATOR);

describe('with no account allowed', () => {
  beforeAll(() => configure({ linkByEmail: false, allowedDomains: [] }));

  test('nobody gets one, or that of the same address', async () => {
    const person = newPerson();
    await expectRefusal(await signIn(person), 403, /There is no account for u/);
    await newAccount(person.email);
    await expectRefusal(await signIn(person), 403, /There is an account with the address .* already/);
  });

  test('the page learns what its button says', async () => {
    expect(await (await fetch(`${base()}/session/options`)).json()).toEqual({ provider: { name: 'Example ID' } });
  });
});

describe('with accounts for a domain, and by address', () => {
  beforeAll(async () => {
    configure({ linkByEmail: true, allowedDomains: ['example.org'] });
    await newAccount(newPerson().email);
  });

  test('the browser goes there with PKCE, state and nonce, which only its cookie has, and comes back with a session', async () => {
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
    expect(set).toMatch(/^waypost-sign-in=[\w.-]{131}; Max-Age=600; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/);
    const person = newPerson();
    const answer = await finish(await provider.signIn(url, person), cookie);
    expect(setCookies(answer)).toContain('waypost-sign-in=');
    expect(answer.headers.getSetCookie().find((each) => each.startsWith('waypost='))).toMatch(
      /HttpOnly; SameSite=Strict$/,
    );
    expect(await emailOf(answer)).toBe(person.email);
  });

  test('the account is that of the subject, whatever becomes of its address', async () => {
    const person = newPerson();
    await emailOf(await signIn(person));
    expect(await emailOf(await signIn({ ...person, email: newPerson().email }))).toBe(person.email);
    expect(await emailOf(await signIn({ subject: person.subject }))).toBe(person.email);
  });

  test('an account of the same address is opened, and from then on belongs to this subject alone', async () => {
    const person = newPerson('elsewhere.example');
    await newAccount(person.email);
    expect(await emailOf(await signIn({ ...person, email: person.email.toUpperCase() }))).toBe(person.email);
    await expectRefusal(await signIn({ ...person, subject: 'another' }), 403, /belongs to another identity/);
    expect(await emailOf(await signIn(person))).toBe(person.email);
  });

  test('an address that the provider did not verify, or of another domain, is refused', async () => {
    const person = newPerson();
    await newAccount(person.email);
    await expectRefusal(await signIn({ ...person, verified: false }), 403, /does not confirm your e-mail address/);
    await expectRefusal(await signIn({ subject: randomUUID() }), 403, /does not confirm/);
    for (const domain of ['example.org.evil.example', 'evil-example.org', 'sub.example.org'])
      await expectRefusal(await signIn(newPerson(domain)), 403, /There is no account for/);
  });

  test('cancelling there leads to a page that says so', async () => {
    await expectRefusal(await signIn(), 401, /does not fit\. Start again/);
  });

  test('an answer works once, in the browser that asked', async () => {
    const [mine, others] = [await begin(), await begin()];
    const callback = await provider.signIn(mine.url, newPerson());
    await expectRefusal(await finish(callback), 400, /began in another browser or too long ago/);
    await expectRefusal(await finish(callback, others.cookie), 401, /does not fit/); // a forced sign-in: their state is not ours
    for (const bad of ['', 'a.b.c', `${mine.cookie}.x`.split('=')[1]])
      await expectRefusal(await finish(callback, `waypost-sign-in=${bad}`), 400, /began in another browser/);
    await emailOf(await finish(callback, mine.cookie));
    await expectRefusal(await finish(callback, mine.cookie), 401, /does not fit/); // replayed
  });

  test('a code of another sign-in is refused, with our own state', async () => {
    const [mine, attackers] = [await begin(), await begin()];
    const stolen = await provider.signIn(attackers.url, newPerson());
    const injected = await provider.signIn(mine.url, newPerson());
    injected.searchParams.set('code', stolen.searchParams.get('code')!);
    await expectRefusal(await finish(injected, mine.cookie), 401, /does not fit/);
  });

  test('nothing in the answer leads to another site, and nothing of it gets into a page', async () => {
    const { url, cookie } = await begin();
    const callback = await provider.signIn(url, newPerson());
    for (const name of ['next', 'redirect', 'return_to', 'url'])
      callback.searchParams.set(name, 'https://evil.example/');
    await emailOf(await finish(callback, cookie));
    const markup = new URL(`${base()}${CALLBACK}?error=<script>alert(1)</script>&error_description=<b>&state=x`);
    const answer = await finish(markup, (await begin()).cookie);
    expect(await answer.text()).not.toMatch(/<script|<b>alert/);
  });

  test('a page of another site begins none', async () => {
    const headers = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' };
    expect((await fetch(`${base()}/session/oidc`, { method: 'POST', headers })).status).toBe(403);
    expect((await fetch(`${base()}/session/oidc`)).status).toBe(405);
  });

  test('no code, secret or token is in the log', async () => {
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

/** Comes back from a provider where it never was, with a cookie that fits. */
function comeBack() {
  const checks = ['x', 'y', 'z'].map((each) => each.repeat(43));
  const made = new URLSearchParams({ code: 'x', state: checks[0]!, iss: provider.issuer });
  return finish(new URL(`${base()}${CALLBACK}?${made}`), `waypost-sign-in=${checks.join('.')}`);
}

test('an address comes back 60 times in a minute: made-up answers keep nobody else from the provider', async () => {
  configure({ linkByEmail: false, allowedDomains: [] });
  const asked = () => logged.filter((line) => line.includes('"why":"invalid_grant"')).length;
  const before = asked();
  for (let i = 0; i < 60; i++) await expectRefusal(await comeBack(), 401, /does not fit/);
  const refused = await comeBack();
  expect(refused.headers.get('retry-after')).toBe('60');
  await expectRefusal(refused, 429, /Too many attempts/);
  expect(asked() - before).toBe(60);
});

test('a provider that is away is said to be, and everything else goes on', async () => {
  configure({ linkByEmail: false, allowedDomains: [] }, { issuer: 'http://127.0.0.1:1' });
  const answer = await fetch(`${base()}/session/oidc`, { method: 'POST', headers: ours() });
  expect([answer.status, Number(answer.headers.get('retry-after'))]).toEqual([503, 5]);
  expect(await answer.json()).toMatchObject({ message: expect.stringContaining('Signing in with Example ID') });
  await expectRefusal(await comeBack(), 503, /does not answer/);
  expect((await fetch(`${base()}/session/options`)).status).toBe(200);
});

test('the first account is not made by a provider', async () => {
  stores = await openStores();
  configure({ linkByEmail: true, allowedDomains: ['example.org'] });
  await expectRefusal(await signIn(newPerson()), 403, /no account yet/);
  expect(await stores.accounts.any()).toBe(false);
});
