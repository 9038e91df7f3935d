/** Every page that a person may see, in Chromium: those of the dashboard that need no account, and those of the server. */
import { expect, test } from '@jest/globals';
import { check, dashboard, heading } from './browser.ts';
import { listedUrl, newSlug, newSlugs } from './support.ts';

const { waypost, newPage, newUser, open } = dashboard();

test('an address that is no screen says so to a person, signed in or not, and leads home', async () => {
  const [signedOut, { page: signedIn }] = await Promise.all([newPage(), newUser()]);
  for (const page of [signedOut.page, signedIn]) {
    for (const path of ['/nothing-here', '/keys/abc/def', '/admin/nothing']) {
      const answer = await page.goto(`${waypost.api}${path}`);
      expect([path, answer?.status()]).toEqual([path, 404]);
      await heading(page, 'There is no such page').waitFor();
    }
  }
  await check(signedOut.page, 'no-such-page');
  await signedIn.getByRole('link', { name: 'To the start page' }).click();
  await heading(signedIn, 'Links').waitFor();
  await open(signedIn, '/Keys/', 'API keys');
});

test('without script the dashboard says what it needs, and names the other ways', async () => {
  const { page } = await newPage({ javaScriptEnabled: false });
  await page.goto(waypost.api);
  expect(await page.locator('main').textContent()).toMatch(/needs JavaScript.*API.*\/docs.*command line/);
});

test('no page breaks its own policy or asks for what is refused, and each is accessible', async () => {
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
  await page.goto(`${waypost.api}/docs`);
  expect([complaints, refused]).toEqual([[], []]);
});
