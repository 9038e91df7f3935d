import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeCertificates } from '@waypost/engines/certificates';
import { newFolder } from '@waypost/test-support/afterwards';
import { type TestProvider, testProvider } from '@waypost/test-support/test-provider';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { PASSWORD } from '../people.ts';
import { apiClient, freePorts, startTestWaypost, type TestWaypost } from '../waypost-process.ts';
import { openPage, signIn } from './browser.ts';
import { startBrowser } from './chromium.ts';

const EMAIL = 'ada@example.org';

const dir = newFolder();
let base: string;
let waypost: TestWaypost;
let provider: TestProvider;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let cdp: CDPSession;
let authenticatorId: string;
let complaints: string[];

beforeAll(async () => {
  const [port] = await freePorts(1);
  base = `http://localhost:${port}`;
  const { ca, cert, key } = makeCertificates(dir);
  provider = await testProvider(`${base}/session/oidc/callback`, {
    cert: fs.readFileSync(cert, 'utf8'),
    key: fs.readFileSync(key, 'utf8'),
  });
  fs.writeFileSync(path.join(dir, 'client-secret'), provider.clientSecret);
  waypost = await startTestWaypost({
    PORT: String(port),
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET_FILE: path.join(dir, 'client-secret'),
    OIDC_DISPLAY_NAME: 'Example ID',
    OIDC_ALLOWED_DOMAINS: 'example.com',
    NODE_EXTRA_CA_CERTS: ca,
  });
  await waypost.admin('create-account', { email: EMAIL, password: PASSWORD });
  browser = await startBrowser();
  ({ context, page, complaints } = await openPage(browser, [], { ignoreHTTPSErrors: true }));
  cdp = await context.newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  ({ authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  }));
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await waypost?.remove();
  await provider?.stop();
}, 60_000);

const open = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click();
const signOut = async () => {
  await open('Settings');
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
};
const byPasskey = () => page.getByRole('button', { name: 'Sign in with a passkey' }).click();

test('a passkey signs in without an e-mail address until it is removed', async () => {
  const scripts: string[] = [];
  page.on('request', (request) => request.resourceType() === 'script' && scripts.push(request.url()));
  await page.goto(base);
  await signIn(page, EMAIL);
  await open('Settings');
  await page.getByText('No passkeys yet.').waitFor();
  const before = scripts.length;
  await page.getByLabel('Name').fill('<b>phone</b> \u202ex');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByText('never used').waitFor();
  expect(scripts.length).toBeGreaterThan(before); // the page loads the code of passkeys only on demand
  const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
  expect(credentials).toMatchObject([{ isResidentCredential: true, rpId: 'localhost' }]);

  // The same authenticator must not get a second passkey for the account.
  await page.getByLabel('Name').fill('again');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByText('This device already has a passkey for your account.').waitFor();
  await signOut();

  const [request] = await Promise.all([
    page.waitForRequest((each) => each.url() === `${base}/session/passkey` && each.method() === 'POST'),
    byPasskey(),
  ]);
  await page.getByRole('heading', { name: 'Links', exact: true }).waitFor();

  // A replay of the browser's request must not sign in.
  const headers = { Origin: base, 'Sec-Fetch-Site': 'same-origin' };
  const replayed = await apiClient(waypost.api)('POST', '/session/passkey', request.postData()!, headers);
  expect([replayed.status, replayed.headers.getSetCookie()]).toEqual([401, []]);

  await open('Settings');
  await page.getByText(/^Added .* last used/).waitFor();
  await page.getByRole('button', { name: 'Remove the passkey' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove passkey' }).click();
  await page.getByText('No passkeys yet.').waitFor();
  await signOut();
  await byPasskey();
  await page.getByText('This passkey was not accepted.').waitFor();
}, 120_000);

test('the end of a session takes no passkey of another account, and keeps what was typed for the first', async () => {
  await cdp.send('WebAuthn.clearCredentials', { authenticatorId });
  const other = { email: 'bob@example.org', password: PASSWORD };
  await waypost.admin('create-account', other);
  await page.goto(base);
  await signIn(page, other.email);
  await open('Settings');
  await page.getByLabel('Name').fill('of Bob');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByText('never used').waitFor();
  await signOut();
  await signIn(page, EMAIL);
  await page.getByLabel('Long URL').fill('https://example.com/draft');
  await context.clearCookies();
  await page.getByRole('button', { name: 'Shorten' }).click();
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
  await byPasskey();
  await page.getByText(`This passkey belongs to ${other.email}. To continue here, sign in as ${EMAIL}`).waitFor();
  // What tells a browser that signed in before is no session.
  expect((await context.cookies()).map(({ name }) => name)).toEqual(['waypost-device']);
  await signIn(page, EMAIL);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.getByLabel('Long URL').inputValue()).toBe('https://example.com/draft');
  await cdp.send('WebAuthn.clearCredentials', { authenticatorId });
  await signOut();
}, 120_000);

test('a browser that refuses shows the reason in our words', async () => {
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  await page.reload();
  await byPasskey();
  await page.getByText('No passkey was used.').waitFor();
  await page.goto(base.replace('localhost', '127.0.0.1'));
  await byPasskey();
  await page.getByText('Passkeys do not work at this address.').waitFor();
}, 60_000);

test("the provider's button leads there and back, and signs in to a new account", async () => {
  await page.goto(base);
  provider.expect({ subject: 'grace', email: 'grace@example.com', verified: true });
  await page.getByRole('button', { name: 'Sign in with Example ID' }).click();
  await page.getByRole('heading', { name: 'Links', exact: true }).waitFor();
  expect(page.url()).toBe(`${base}/links`);
  await open('Settings');
  await page.getByText('Signed in as grace@example.com.').waitFor();
  await signOut();
  await context.clearCookies();
  provider.expect({ subject: 'eve', email: 'eve@elsewhere.example', verified: true });
  await page.getByRole('button', { name: 'Sign in with Example ID' }).click();
  await page.getByText('There is no account for eve@elsewhere.example.').waitFor();
  await page.getByRole('link', { name: 'Back to the sign-in' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
}, 60_000);

test('an administrator connects the provider in the settings, signs in by it, and removes it', async () => {
  const email = 'root@example.org';
  await waypost.admin('create-account', { email, password: PASSWORD, admin: true });
  await context.clearCookies();
  await page.goto(base);
  await signIn(page, email);
  await open('Settings');
  provider.expect({ subject: 'root', email, verified: true });
  await page.getByRole('button', { name: 'Connect Example ID' }).click();
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  await page.getByText(/, connected /).waitFor();
  await signOut();
  await page.getByRole('button', { name: 'Sign in with Example ID' }).click();
  await page.getByRole('heading', { name: 'Links', exact: true }).waitFor();
  await open('Settings');
  await page.getByRole('button', { name: 'Remove root' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove identity' }).click();
  await page.getByRole('button', { name: 'Connect Example ID' }).waitFor();
}, 60_000);

test('the browser reported no error', () => {
  expect(complaints).toEqual([]);
});
