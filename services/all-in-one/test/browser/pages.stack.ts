import { expect, test } from '@jest/globals';
import { DESTINATION, listedUrl, newSlug, newSlugs, visit } from '../support.ts';
import { check, dashboard, heading, pictures } from './browser.ts';

const { waypost, newPage, newUser, open } = dashboard();

test('an address without a screen says so, signed in or not, and links to the start page', async () => {
  const [signedOut, { page: signedIn }] = await Promise.all([newPage(), newUser()]);
  for (const page of [signedOut.page, signedIn]) {
    for (const path of ['/nothing-here', '/keys/abc/def', '/admin/nothing']) {
      const answer = await page.goto(`${waypost.api}${path}`);
      expect([path, answer?.status()]).toEqual([path, 404]);
      await heading(page, 'Page not found').waitFor();
    }
  }
  await check(signedOut.page, 'no-such-page');
  await signedIn.getByRole('link', { name: 'Go to the start page' }).click();
  await heading(signedIn, 'Links').waitFor();
  await open(signedIn, '/Keys/', 'API keys');
});

test('without script the dashboard says what it needs, and names alternatives', async () => {
  const { page } = await newPage({ javaScriptEnabled: false });
  await page.goto(waypost.api);
  expect(await page.locator('main').textContent()).toMatch(/needs JavaScript.*API.*\/docs.*command line/);
});

test('no page breaks its own policy or requests what the policy refuses, and each is accessible', async () => {
  const { page: owner, api, email } = await newUser();
  const [active, revoked] = await newSlugs(api, 2);
  await api('POST', `/api/v1/links/${revoked}/revoke`);
  const flagged = await newSlug(api, { destination_url: await listedUrl(waypost) });
  const filed = await api('POST', `/api/v1/links/${flagged}/review-request`, { message: 'It is not.' });
  const { sign_in_url } = await waypost.admin<{ sign_in_url: string }>('sign-in-link', { email });
  await owner.close();

  const { page, complaints } = await newPage();
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400 && !response.request().isNavigationRequest()) refused.push(response.url());
  });
  for (const [name, address] of [
    ['first-page', waypost.api],
    ['sign-in-link', sign_in_url],
    ['sign-in-link-gone', `${waypost.api}/sign-in/x`],
    ['report', `${waypost.api}/report?link=${active}`],
    ['review', `${waypost.api}/report?about=review&link=${flagged}`],
    ['case', `${waypost.api}/report/${filed.body.number}`],
    ['visitor-home', waypost.redirect],
    ['visitor-not-found', `${waypost.redirect}/no-such-link`],
    ['visitor-preview', `${waypost.redirect}/${active}+`],
    ['visitor-revoked', `${waypost.redirect}/${revoked}`],
    ['visitor-flagged', `${waypost.redirect}/${flagged}`],
  ] as const) {
    await page.goto(address);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect([name, complaints, refused]).toEqual([name, [], []]);
    await check(page, name);
  }
});

test('the API reference is accessible, breaks no policy, and nothing goes elsewhere', async () => {
  const { page, complaints, foreign } = await newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(`${waypost.api}/docs`);
  await heading(page, 'Waypost API').waitFor();
  await heading(page, 'Authentication').waitFor();

  await page.keyboard.press('Control+k');
  await page.keyboard.type('revoke');
  await page.getByRole('option', { name: 'Operation: Revoke a link' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/#tag\/links\/POST\/api\/v1\/links\/\{slug\}\/revoke$/);
  await page.getByRole('region', { name: 'Revoke a link' }).waitFor();
  await check(page, 'api-reference');
  expect([complaints, foreign]).toEqual([[], []]);
});

test('whatever the code of the API reference does, it cannot act as the person who is signed in', async () => {
  const { page } = await newUser();
  const fetched = (path: string) =>
    page.evaluate((to) => fetch(to, { credentials: 'include' }).then((answer) => answer.status, String), path);
  expect(await fetched('/api/v1/account')).toBe(200);
  const cookies: (string | undefined)[] = [];
  page.on('request', async (request) => {
    if (!request.isNavigationRequest()) cookies.push((await request.allHeaders()).cookie);
  });
  await page.goto(`${waypost.api}/docs`);
  await heading(page, 'Waypost API').waitFor();
  for (const path of ['/api/v1/account', '/session']) expect(await fetched(path)).toMatch(/Failed to fetch/);
  expect(await page.evaluate('self.origin')).toBe('null');
  expect(cookies.length).toBeGreaterThan(3);
  expect(cookies.filter((cookie) => cookie !== undefined)).toEqual([]);
});

test('a browser that blocks cookies and storage shows the public pages, and the first page says what it needs', async () => {
  const { page, complaints } = await newPage();
  await page.addInitScript(() => {
    const refuse = () => {
      throw new DOMException('The operation is insecure.', 'SecurityError');
    };
    for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(globalThis, name, { get: refuse });
    Object.defineProperty(Navigator.prototype, 'cookieEnabled', { get: () => false });
  });
  await page.goto(waypost.api);
  await heading(page, 'Sign in').waitFor();
  await page.getByText('This browser blocks cookies.').waitFor();
  await check(page, 'no-cookies');
  await page.goto(`${waypost.api}/docs`);
  await heading(page, 'Waypost API').waitFor();
  expect(complaints).toEqual([]);
});

test('the address contains the period and the bots of the clicks, so a reload keeps both', async () => {
  const { page, api } = await newUser();
  const slug = await newSlug(api);
  await page.goto(`${waypost.api}/links/${slug}`);
  await page.getByLabel('Include bots').uncheck();
  await page.getByRole('button', { name: '30 days', exact: true }).click();
  expect(new URL(page.url()).search).toBe('?bots=exclude&days=30');
  await page.reload();
  await page.getByRole('button', { name: '30 days', exact: true, pressed: true }).waitFor();
  expect(await page.getByLabel('Include bots').isChecked()).toBe(false);
  await page.getByLabel('Include bots').check();
  await page.getByRole('button', { name: '7 days', exact: true }).click();
  expect(new URL(page.url()).search).toBe('');
});

test('the card of the clicks ends below its content, with clicks or without', async () => {
  const { page, api } = await newUser();
  const [quiet, visited] = await newSlugs(api, 2);
  expect((await visit(waypost.redirect, `/${visited}`)).status).toBe(302);
  for (const [slug, last] of [
    [quiet, '.note'],
    [visited, 'text=Download CSV'],
  ] as const) {
    await page.goto(`${waypost.api}/links/${slug}`);
    for (const [width, height] of [
      [1280, 800],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      const card = page.locator('.clicks-card');
      await card.locator(last).waitFor();
      const [whole, end] = await Promise.all([card.boundingBox(), card.locator(last).boundingBox()]);
      expect(whole!.y + whole!.height - (end!.y + end!.height)).toBeLessThan(30);
      if (pictures !== undefined) await page.screenshot({ path: `${pictures}/clicks-${slug === quiet}-${width}.png` });
    }
  }
});

test('the choice of light or dark applies at once, from the first paint on, and after a sign-out', async () => {
  const { page, context, complaints } = await newUser({ colorScheme: 'light' });
  const ground = () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
  const [light, dark] = ['rgb(244, 246, 244)', 'rgb(16, 21, 19)'];
  await open(page, '/settings', 'Settings');
  expect(await ground()).toBe(light);
  await page.getByLabel('Appearance').selectOption('Dark');
  expect(await ground()).toBe(dark);
  await context.clearCookies();
  // Without scripts, the page shows what a browser paints before the dashboard runs.
  await page.route('**/*.js', (route) => route.abort());
  await page.reload();
  expect(await ground()).toBe(dark);
  await page.unroute('**/*.js');
  await page.reload();
  await heading(page, 'Sign in').waitFor();
  expect(await ground()).toBe(dark);
  await page.evaluate("localStorage.setItem('theme', '')");
  await page.reload();
  expect(await ground()).toBe(light);
  expect(complaints).toEqual([]);
});

test('a button that becomes enabled is readable at once: its colours do not fade', async () => {
  const { page } = await newUser();
  await open(page, '/keys', 'API keys');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Name').fill('laptop');
  await page.keyboard.press('Enter');
  await heading(page, 'Copy your new key now').waitFor();
  const fades = "getComputedStyle(document.querySelector('.d-foot .btn')).transitionDuration";
  expect(await page.evaluate(fades)).toBe('0s');
});

test('an error of a field is in German for a German browser', async () => {
  const { page, api } = await newUser();
  const german = { locale: 'de-DE', storageState: await page.context().storageState() };
  const { page: own } = await newPage(german);
  await own.goto(waypost.api);
  await own.getByLabel('Lange URL').fill('https://intranet/x');
  await own.keyboard.press('Enter');
  await own.getByText('Lange URL: kein öffentlicher Hostname.').waitFor();
  await own.getByRole('button', { name: 'Eigene Adresse' }).click();
  await own.getByRole('textbox', { name: 'Eigene Adresse' }).fill('api');
  await own.getByLabel('Lange URL').fill(DESTINATION);
  await own.keyboard.press('Enter');
  await own.getByText('Eigene Adresse: reserviert.').waitFor();
  expect((await api('GET', '/api/v1/links')).body.total).toBe(0);
});
