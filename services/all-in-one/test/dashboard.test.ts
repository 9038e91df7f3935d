/** Accounts and sessions of the dashboard, what attacks on them meet, and keys over the API. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { pause } from '@waypost/test-support';
import { cookieOf, freshEmail, PASSWORD, people } from './people.ts';
import { newWaypost, ofOneProcess, product } from './product.ts';
import { DESTINATION, expectError, ISO_TIME, tally, times, UUID } from './support.ts';
import { apiClient, type Json } from './waypost-process.ts';

const { waypost, newClient } = product();

const { browser, signIn, newAccount } = people(waypost);

describe('a session', () => {
  test('is a cookie that no script reads and no other site sends, and does what a key of read and write does', async () => {
    const email = freshEmail();
    await waypost.admin('create-account', { email, password: PASSWORD });
    const answer = await signIn(email.toUpperCase());
    expect([answer.status, answer.body]).toEqual([200, { email, admin: false }]);
    expect(answer.headers.getSetCookie()[0]).toMatch(
      /^waypost=[\w-]{43}; Max-Age=1209600; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/,
    );
    const ask = browser(cookieOf(answer));
    expect((await ask('GET', '/api/v1/account')).body).toMatchObject({
      email,
      admin: false,
      has_password: true,
      scopes: ['read', 'write'],
    });
    const made = await ask('POST', '/api/v1/links', { destination_url: DESTINATION });
    expect(made.status).toBe(201);
    const { slug } = made.body.link;
    expect((await ask('GET', '/api/v1/links')).body.data).toEqual([expect.objectContaining({ slug })]);
    expect((await ask('POST', `/api/v1/links/${slug}/revoke`)).body.status).toBe('revoked');
    expectError(await ask('POST', `/api/v1/admin/links/${slug}/review`, { decision: 'keep', reason: 'x' }), 403);
  });

  test('is there or not by an answer, not by a refusal', async () => {
    const { ask, cookie } = await newAccount();
    const signedIn = async (as = ask) => {
      const { status, body } = await as('GET', '/session');
      return [status, body];
    };
    expect(await signedIn()).toEqual([200, { signed_in: true }]);
    await ask('DELETE', '/session');
    expect(await signedIn()).toEqual([200, { signed_in: false }]);
    expect(await signedIn(browser())).toEqual([200, { signed_in: false }]);
    expect(await signedIn(browser(`${cookie}x`))).toEqual([200, { signed_in: false }]);
  });

  test('ends with a sign-out on the next request; the others go on until sign-out everywhere', async () => {
    const { email, ask } = await newAccount();
    const [second, third] = [cookieOf(await signIn(email)), cookieOf(await signIn(email))];
    expect((await ask('DELETE', '/session')).body).toEqual({ signed_out: true });
    expectError(await ask('GET', '/api/v1/account'), 401);
    expect((await browser(second)('GET', '/api/v1/account')).status).toBe(200);
    expect((await browser(third)('DELETE', '/api/v1/account/sessions')).status).toBe(200);
    for (const cookie of [second, third]) expectError(await browser(cookie)('GET', '/api/v1/account'), 401);
  });

  test('gets a new token with each sign-in: one that was planted never becomes one, and the one before ends', async () => {
    const { email, cookie } = await newAccount();
    const planted = `waypost=${'A'.repeat(43)}`;
    const answer = await signIn(email, PASSWORD, planted);
    expect(cookieOf(answer)).not.toBe(planted);
    expectError(await browser(planted)('GET', '/api/v1/account'), 401);
    expect(cookieOf(await signIn(email, PASSWORD, cookie))).not.toBe(cookie);
    expectError(await browser(cookie)('GET', '/api/v1/account'), 401);
  });

  test('with any other cookie is refused', async () => {
    const { cookie } = await newAccount();
    const token = cookie.split('=')[1]!;
    const changed = `${token.slice(0, -2)}${token.at(-2) === 'A' ? 'B' : 'A'}${token.at(-1)}`;
    for (const bad of ['', "' OR 1=1", changed, token.slice(1), `${token}A`, 'A'.repeat(9_000)])
      expectError(await browser(`waypost=${bad}`)('GET', '/api/v1/account'), 401);
    // Nor is it asked where a key was sent, even a wrong one.
    expectError(await browser(cookie)('GET', '/api/v1/account', undefined, { Authorization: 'Bearer wrong' }), 401);
  });
});

describe('a request of another site', () => {
  const foreign: Record<string, string>[] = [
    { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' },
    { 'Sec-Fetch-Site': 'same-site', Origin: 'http://localhost:1' },
    { 'Sec-Fetch-Site': 'none' },
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
  ];

  test('changes nothing with the session, and neither does one that does not say where it comes from', async () => {
    const { cookie, ask } = await newAccount();
    const body = { destination_url: DESTINATION };
    for (const headers of [...foreign, {}]) {
      const asked = apiClient(waypost.api);
      expectError(await asked('POST', '/api/v1/links', body, { Cookie: cookie, ...headers }), 403);
      expectError(await asked('DELETE', '/api/v1/account/sessions', undefined, { Cookie: cookie, ...headers }), 403);
    }
    expect((await ask('GET', '/api/v1/links')).body.total).toBe(0);
    // A browser on an address without https says its origin alone.
    expect(
      (await apiClient(waypost.api)('POST', '/api/v1/links', body, { Cookie: cookie, Origin: waypost.api })).status,
    ).toBe(201);
  });

  test('signs nobody in or out', async () => {
    const { email, cookie, ask } = await newAccount();
    const { sign_in_url } = await waypost.admin<{ sign_in_url: string }>('sign-in-link', { email });
    const link = `${waypost.api}${new URL(sign_in_url).pathname}`;
    for (const headers of foreign) {
      const asked = apiClient(waypost.api);
      expectError(await asked('POST', '/session', { email, password: PASSWORD }, headers), 403);
      expectError(await asked('DELETE', '/session', undefined, { Cookie: cookie, ...headers }), 403);
      expect((await fetch(link, { method: 'POST', redirect: 'manual', headers })).status).toBe(403);
    }
    expect((await ask('GET', '/api/v1/account')).status).toBe(200);
    expect((await fetch(link)).headers.get('referrer-policy')).toBe('same-origin');
  });
});

describe('signing in', () => {
  test('is refused in the same words for a wrong password, no account and no password', async () => {
    const without = freshEmail();
    await waypost.admin('create-account', { email: without });
    const { email } = await newAccount();
    const answers = await Promise.all([
      signIn(email, 'wrong wrong wrong'),
      signIn(freshEmail()),
      signIn(without, ''.padEnd(12, 'x')),
      signIn('not an address', 'x'),
    ]);
    for (const answer of answers) {
      expectError(answer, 401);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });

  test.each([
    ['an account', async () => (await newAccount()).email],
    ['no account', async () => freshEmail()],
  ])('is tried ten times in 15 minutes with %s, at once or not, the right password too', async (_name, emailOf) => {
    const email = await emailOf();
    const answers = await Promise.all(times(15, () => signIn(email, 'wrong wrong wrong')));
    expect(tally(answers)).toEqual({ 401: 10, 429: 5 });
    const refused = await signIn(email.toUpperCase());
    expectError(refused, 429);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(900);
    expect((await signIn(freshEmail())).status).toBe(401);
  });

  test('takes bodies of 16 KiB, packed or not, and no e-mail address that is longer than any', async () => {
    for (const path of ['/session', '/first-run']) {
      const body = JSON.stringify({ email: freshEmail(), password: 'x'.repeat(17_000) });
      expectError(await browser()('POST', path, body), 413);
      expectError(await browser()('POST', path, gzipSync(body), { 'Content-Encoding': 'gzip' }), 413);
      const long = { token: 'x', email: `${'x'.repeat(250)}@example.org`, password: PASSWORD };
      const { token, ...credentials } = long;
      expectError(await browser()('POST', path, path === '/session' ? credentials : long), 400, ['email']);
      const odd = { ...(path === '/session' ? {} : { token: 'x' }), email: 'a\0@example.org', password: PASSWORD };
      expectError(await browser()('POST', path, odd), 400, ['email']);
    }
  });
});

describe('a password', () => {
  const change = (ask: ReturnType<typeof browser>, body: Json) => ask('PUT', '/api/v1/account/password', body);

  test('is changed with the one until now; other sessions end, and the old one signs nobody in', async () => {
    const { email, ask } = await newAccount();
    const other = cookieOf(await signIn(email));
    const wanted = 'a quite different password';
    expectError(await change(ask, { current_password: 'wrong', new_password: wanted }), 400, ['current_password']);
    expectError(await change(ask, { new_password: wanted }), 400, ['current_password']);
    expectError(await change(ask, { current_password: PASSWORD, new_password: 'short' }), 400, ['new_password']);
    expect((await change(ask, { current_password: PASSWORD, new_password: wanted })).status).toBe(200);
    expect((await ask('GET', '/api/v1/account')).status).toBe(200);
    expectError(await browser(other)('GET', '/api/v1/account'), 401);
    expectError(await signIn(email), 401);
    expect((await signIn(email, wanted)).status).toBe(200);
  });
});

describe('keys over the API', () => {
  test('are made with a session, shown once, listed with their use, and dead at once when deleted', async () => {
    const { ask } = await newAccount();
    const made = await ask('POST', '/api/v1/account/keys', { name: 'laptop', scopes: ['read', 'write'] });
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.stringMatching(UUID),
        name: 'laptop',
        scopes: ['read', 'write'],
        hint: made.body.key.slice(0, 10),
        created_at: expect.stringMatching(ISO_TIME),
        expires_at: null,
        key: expect.stringMatching(/^wp_[\w-]{49}$/),
      },
    ]);
    const { key, ...shown } = made.body;
    const list = await ask('GET', '/api/v1/account/keys');
    expect(list.body).toEqual({ data: [{ ...shown, last_used_at: null }], limit: 20 });
    expect(JSON.stringify(list.body)).not.toContain(key);
    const api = apiClient(waypost.api, key);
    expect((await api('GET', '/api/v1/account')).body.scopes).toEqual(['read', 'write']);
    await pause(300);
    expect((await ask('GET', '/api/v1/account/keys')).body.data[0].last_used_at).toMatch(ISO_TIME);
    expect((await ask('DELETE', `/api/v1/account/keys/${shown.id}`)).body.id).toBe(shown.id);
    expectError(await api('GET', '/api/v1/account'), 401);
    expectError(await ask('DELETE', `/api/v1/account/keys/${shown.id}`), 404);
    for (const odd of ['%00', 'x']) expectError(await ask('DELETE', `/api/v1/account/keys/${odd}`), 404);
    const wrong = { name: ' ', scopes: ['admin', 'read'] };
    expectError(await ask('POST', '/api/v1/account/keys', wrong), 400, ['name', 'scopes']);
  });

  test('are not made, listed or deleted with a key for links; one with the scope admin may, for its own account', async () => {
    const wanted = { name: 'x', scopes: ['read'] };
    for (const scopes of ['read', 'write', 'read,write']) {
      const api = await newClient(scopes);
      expectError(await api('POST', '/api/v1/account/keys', wanted), 403);
      expectError(await api('GET', '/api/v1/account/keys'), 403);
      expectError(await api('DELETE', `/api/v1/account/keys/${crypto.randomUUID()}`), 403);
    }
    const api = await newClient('admin');
    const made = await api('POST', '/api/v1/account/keys', wanted);
    expect(made.status).toBe(201);
    expect((await api('GET', '/api/v1/account/keys')).body.data).toHaveLength(2);
    expect((await api('DELETE', `/api/v1/account/keys/${made.body.id}`)).status).toBe(200);
    expectError(await apiClient(waypost.api, made.body.key)('GET', '/api/v1/account'), 401);
    expectError(await api('PUT', '/api/v1/account/password', { new_password: PASSWORD }), 403);
  });

  test('of another account are neither listed nor deleted', async () => {
    const [one, other] = [await newAccount(), await newAccount()];
    const { body } = await one.ask('POST', '/api/v1/account/keys', { name: 'mine', scopes: ['read'] });
    expect((await other.ask('GET', '/api/v1/account/keys')).body.data).toEqual([]);
    expectError(await other.ask('DELETE', `/api/v1/account/keys/${body.id}`), 404);
    expect((await apiClient(waypost.api, body.key)('GET', '/api/v1/account')).status).toBe(200);
  });
});

test('the dashboard is one page without inline code but for a line that its policy names, and files whose names change with what is in them', async () => {
  for (const path of ['/', '/links/some-slug', '/admin/links/some-slug', '/sign-in', '/first-run/token']) {
    const answer = await fetch(`${waypost.api}${path}`);
    expect([path, answer.status, answer.headers.get('cache-control')]).toEqual([path, 200, 'no-store']);
    const text = await answer.text();
    const [, inline = ''] = /<script>(document\.documentElement\.dataset\.theme = [^<]*)<\/script>/.exec(text)!;
    const hash = createHash('sha256').update(inline).digest('base64');
    expect(answer.headers.get('content-security-policy')).toBe(
      `default-src 'none'; script-src 'self' 'sha256-${hash}'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`,
    );
    expect(text.replace(`<script>${inline}</script>`, '')).not.toMatch(
      /<script(?![^>]* src="\/assets\/)|<style|\sstyle=|\son\w+=|https?:/,
    );
  }
  const shell = await (await fetch(`${waypost.api}/`)).text();
  const scripts = [...shell.matchAll(/ (?:src|href)="(\/assets\/[\w-]+\.js)"/g)].map(([, path]) => path!);
  const sizes: number[] = [];
  for (const path of scripts) {
    const answer = await fetch(`${waypost.api}${path}`);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    sizes.push(gzipSync(await answer.arrayBuffer()).length);
  }
  for (const accepted of ['br', 'gzip', 'identity', 'br;q=0, gzip']) {
    const sent = await fetch(`${waypost.api}${scripts[0]}`, { headers: { 'Accept-Encoding': accepted } });
    const encoding = accepted === 'identity' ? null : accepted.split(' ').at(-1);
    expect([sent.headers.get('content-encoding'), sent.headers.get('vary')]).toEqual([encoding, 'Accept-Encoding']);
    expect(sent.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(gzipSync(await sent.arrayBuffer())).toHaveLength(sizes[0]!);
  }
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThanOrEqual(150_000);
  for (const path of ['/assets/', '/assets/none.js', '/assets/../index.html', '/assets/..%2f.sources', '/nothing']) {
    expectError(await apiClient(waypost.api)('GET', path), 404);
  }
});

test('the API reference runs no inline script, and asks nobody else', async () => {
  const answer = await fetch(`${waypost.api}/docs`);
  expect(answer.headers.get('content-security-policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  );
  expect(await answer.text()).not.toMatch(/<script(?![^>]* src="\/assets\/)|\son\w+=|https?:/);
  expectError(await apiClient(waypost.api)('POST', '/docs'), 405);
});

test('each host has an icon for the tab', async () => {
  for (const host of [waypost.api, waypost.redirect]) {
    const answer = await fetch(`${host}/favicon.ico`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/x-icon']);
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(1_000);
  }
});

test('an address where nothing is answers a person with a page, and programs and the API with JSON', async () => {
  const visit = 'text/html,application/xhtml+xml,*/*;q=0.8';
  const shell = await (await fetch(`${waypost.api}/`)).text();
  for (const path of ['/nothing', '/keys/abc/def', '/links/%ff', '/report/x/y']) {
    const page = await fetch(`${waypost.api}${path}`, { headers: { Accept: visit } });
    expect([path, page.status, await page.text()]).toEqual([path, 404, shell]);
    for (const Accept of ['application/json', '*/*'])
      expectError(await apiClient(waypost.api)('GET', path, undefined, { Accept }), 404);
    expectError(await apiClient(waypost.api)('POST', path, undefined, { Accept: visit }), 404);
  }
  for (const path of ['/api', '/api/v1/nothing', '/api/v1/links/%ff/x', '/mcp/nothing', '/assets/none.js'])
    expectError(await apiClient(waypost.api)('GET', path, undefined, { Accept: visit }), 404);
  for (const path of ['/keys/', '/Keys', '/links/some-slug/'])
    expect([path, (await fetch(`${waypost.api}${path}`)).status]).toEqual([path, 200]);
});

// The stack's first account is made by command.
ofOneProcess('the printed address makes the first account, once, and its token is in no log', async () => {
  const own = await newWaypost({ LOG_LEVEL: 'info' });
  const printed = () => /\/first-run\/([\w-]{43})$/m.exec(own.output().split('There is no account yet.').at(-1)!)![1]!;
  const first = (token: string, email = freshEmail(), password = PASSWORD) =>
    apiClient(own.api)('POST', '/first-run', { token, email, password });
  const earlier = printed();
  await own.restart();
  const token = printed();
  expectError(await first(earlier), 404);
  expectError(await first(token, freshEmail(), 'short'), 400, ['password']);
  expectError(await first(token, 'nobody'), 400, ['email']);
  await fetch(`${own.api}/first-run/${token}`);
  const answers = await Promise.all(times(5, () => first(token)));
  expect(tally(answers)).toEqual({ 200: 1, 404: 4 });
  const made = answers.find(({ status }) => status === 200)!;
  expect(made.body.admin).toBe(true);
  expect(cookieOf(made)).toMatch(/^waypost=/);
  expectError(await first(token), 404);
  const logged = own
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  expect(logged.length).toBeGreaterThan(5);
  expect(logged.join('\n')).not.toContain(token);
});
