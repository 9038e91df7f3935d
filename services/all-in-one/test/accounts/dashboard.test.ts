import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { cookieOf, freshEmail, PASSWORD, people } from '../people.ts';
import { newWaypost, ofOneProcess, product } from '../product.ts';
import { DESTINATION, expectError, tally, times } from '../support.ts';
import { apiClient, type Json } from '../waypost-process.ts';

const { waypost } = product();

const { browser, signIn, newAccount } = people(waypost);

describe('a session', () => {
  test('is a cookie that no script reads and no other site sends, with the rights of a normal key', async () => {
    const email = freshEmail();
    await waypost.admin('create-account', { email, password: PASSWORD });
    const answer = await signIn(email.toUpperCase());
    expect([answer.status, answer.body]).toEqual([200, { email, admin: false }]);
    expect(answer.headers.getSetCookie()[0]).toMatch(
      /^waypost=[\w-]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const ask = browser(cookieOf(answer));
    expect((await ask('GET', '/api/v1/account')).body).toMatchObject({
      email,
      admin: false,
      has_password: true,
      scopes: ['read', 'write'],
    });
    const created = await ask('POST', '/api/v1/links', { destination_url: DESTINATION });
    expect(created.status).toBe(201);
    const { slug } = created.body.link;
    expect((await ask('GET', '/api/v1/links')).body.data).toEqual([expect.objectContaining({ slug })]);
    expect((await ask('POST', `/api/v1/links/${slug}/revoke`)).body.status).toBe('revoked');
    expectError(await ask('POST', `/api/v1/admin/links/${slug}/review`, { decision: 'keep', reason: 'x' }), 403);
  });

  test('is reported as present or absent by an answer, not by a refusal', async () => {
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

  test('ends with a sign-out; other sessions continue until a sign-out everywhere', async () => {
    const { email, ask } = await newAccount();
    const [second, third] = [cookieOf(await signIn(email)), cookieOf(await signIn(email))];
    expect((await ask('DELETE', '/session')).body).toEqual({ signed_out: true });
    expectError(await ask('GET', '/api/v1/account'), 401);
    expect((await browser(second)('GET', '/api/v1/account')).status).toBe(200);
    expect((await browser(third)('DELETE', '/api/v1/account/sessions')).status).toBe(200);
    for (const cookie of [second, third]) expectError(await browser(cookie)('GET', '/api/v1/account'), 401);
  });

  test('gets a new token with each sign-in: a planted token never works, and the earlier token ends', async () => {
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
    // If a request has a key, even a wrong one, the cookie does not count.
    expectError(await browser(cookie)('GET', '/api/v1/account', undefined, { Authorization: 'Bearer wrong' }), 401);
  });
});

describe('a request from another site', () => {
  const foreign: Record<string, string>[] = [
    { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' },
    { 'Sec-Fetch-Site': 'same-site', Origin: 'http://localhost:1' },
    { 'Sec-Fetch-Site': 'none' },
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
  ];

  test('changes nothing with the session, and neither does a request without an origin', async () => {
    const { cookie, ask } = await newAccount();
    const body = { destination_url: DESTINATION };
    for (const headers of [...foreign, {}]) {
      const request = apiClient(waypost.api);
      expectError(await request('POST', '/api/v1/links', body, { Cookie: cookie, ...headers }), 403);
      expectError(await request('DELETE', '/api/v1/account/sessions', undefined, { Cookie: cookie, ...headers }), 403);
    }
    expect((await ask('GET', '/api/v1/links')).body.total).toBe(0);
    // On an address without https, a browser sends only Origin.
    expect(
      (await apiClient(waypost.api)('POST', '/api/v1/links', body, { Cookie: cookie, Origin: waypost.api })).status,
    ).toBe(201);
  });

  test('signs nobody in or out', async () => {
    const { email, cookie, ask } = await newAccount();
    const { sign_in_url } = await waypost.admin<{ sign_in_url: string }>('sign-in-link', { email });
    const link = `${waypost.api}${new URL(sign_in_url).pathname}`;
    for (const headers of foreign) {
      const request = apiClient(waypost.api);
      expectError(await request('POST', '/session', { email, password: PASSWORD }, headers), 403);
      expectError(await request('DELETE', '/session', undefined, { Cookie: cookie, ...headers }), 403);
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

  test('takes bodies of 16 KiB, compressed or not, and no e-mail address that is too long', async () => {
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

  test('is changed with the current password; other sessions end, and the old password stops working', async () => {
    const { email, ask } = await newAccount();
    const other = cookieOf(await signIn(email));
    const newPassword = 'a quite different password';
    expectError(await change(ask, { current_password: 'wrong', new_password: newPassword }), 400, ['current_password']);
    expectError(await change(ask, { new_password: newPassword }), 400, ['current_password']);
    expectError(await change(ask, { current_password: PASSWORD, new_password: 'short' }), 400, ['new_password']);
    expect((await change(ask, { current_password: PASSWORD, new_password: newPassword })).status).toBe(200);
    expect((await ask('GET', '/api/v1/account')).status).toBe(200);
    expectError(await browser(other)('GET', '/api/v1/account'), 401);
    expectError(await signIn(email), 401);
    expect((await signIn(email, newPassword)).status).toBe(200);
  });
});

test('the dashboard is one page and files whose names contain a hash; its policy names its inline line', async () => {
  for (const path of ['/', '/links/some-slug', '/admin/links/some-slug', '/sign-in', '/first-run/token']) {
    const answer = await fetch(`${waypost.api}${path}`);
    expect([path, answer.status, answer.headers.get('cache-control')]).toEqual([path, 200, 'no-store']);
    const text = await answer.text();
    const [, inline = ''] = /<script>(try { document\.documentElement\.dataset\.theme = [^<]*)<\/script>/.exec(text)!;
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

test('the licences of everything in the bundles are served, those of the font and inside the API reference too', async () => {
  const answer = await fetch(`${waypost.api}/licences.txt`);
  const text = await answer.text();
  const names = new Set(text.split('\n'));
  for (const name of ['react-dom', '@tanstack/react-query', '@scalar/api-reference', 'vue', 'highlight.js'])
    expect(names).toContain(name);
  expect(text).toContain('SIL OPEN FONT LICENSE');
  expect(await (await fetch(waypost.api)).text()).toContain('<link rel="license" href="/licences.txt">');
});

test('the API reference runs no inline script, has an origin of its own, and sends no request to other hosts', async () => {
  const answer = await fetch(`${waypost.api}/docs`);
  expect(answer.headers.get('content-security-policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; sandbox allow-scripts allow-downloads",
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

test('an unknown address answers a person with a page, and programs and the API with JSON', async () => {
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

// `npm run stack` has no first run: a command creates its first account.
ofOneProcess('the printed address creates the first account once, and its token is in no log', async () => {
  const own = await newWaypost({ LOG_LEVEL: 'info' });
  const printed = () =>
    /\/first-run\/([\w-]{43})$/m.exec(own.output().split('Create the first account here').at(-1)!)![1]!;
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
  const success = answers.find(({ status }) => status === 200)!;
  expect(success.body.admin).toBe(true);
  expect(cookieOf(success)).toMatch(/^waypost=/);
  expectError(await first(token), 404);
  const logged = own
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  expect(logged.length).toBeGreaterThan(5);
  expect(logged.join('\n')).not.toContain(token);
});
