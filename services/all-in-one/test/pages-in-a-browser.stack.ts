/** Every page that a person may see, in Chromium: those of the dashboard that need no account, and those of the server. */
import { expect, test } from '@jest/globals';
import { check, dashboard, heading } from './browser.ts';

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
  expect(await page.locator('main').innerText()).toMatch(/needs JavaScript.*API.*\/docs.*command line/);
});
