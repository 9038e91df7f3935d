import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { startReceiver } from '../webhook-receiver.ts';
import { button, check, dashboard, heading, inDialog, secretShown } from './browser.ts';

const { newUser, newAdministrator, expectContent } = dashboard();
const receiver = await startReceiver();

test('a webhook shows its secret once, sends tests, replays deliveries, and is disabled and deleted', async () => {
  const { page } = await newUser();
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByText('No webhooks yet.').waitFor();
  await check(page, 'webhooks-empty');

  await button(page, 'Create webhook').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Address').fill('https://10.0.0.1/');
  await inDialog(page, 'Create webhook').click();
  await dialog.getByText(/^Address must/).waitFor();
  await check(page, 'webhook-refused');
  await dialog.getByLabel('Address').fill(`${receiver.url}?${'long'.repeat(300)}&q=<script>alert(1)</script>`);
  await page.keyboard.press('Enter');
  await heading(page, 'Copy the secret now').waitFor();
  const secret = await secretShown(page);
  expect(secret).toMatch(/^whsec_/);
  await page.getByText('1 of 10 in use').waitFor();
  await check(page, 'webhooks');

  await page.locator('tbody a').click();
  await heading(page, new URL(receiver.url).host).waitFor();
  await page.getByText('Nothing has been sent yet.').waitFor();
  const row = (state: string) => page.locator('tbody tr', { hasText: state });
  await button(page, 'Send a test').click();
  await row('Delivered').getByText('Status 200').waitFor();
  const { body, headers } = receiver.received.at(-1)!;
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: 'webhook.test' });

  receiver.answer((_received, response) => {
    response.statusCode = 500;
    response.end(`<script>alert(1)</script>\u202e${'x'.repeat(900)}`);
  });
  await button(page, 'Send a test').click();
  await row('Failed').getByText('Status 500', { exact: true }).waitFor();
  await row('Failed').getByText('Response', { exact: true }).click();
  await row('Failed').getByText('<script>alert(1)</script>').waitFor();
  await page.getByText(/^No delivery has succeeded since/).waitFor();
  await check(page, 'webhook');
  receiver.answer((_received, response) => response.end());
  await row('Failed')
    .getByRole('button', { name: /^Send again: webhook\.test, / })
    .click();
  await row('Delivered').nth(1).waitFor();
  await button(page, 'Failed').click();
  await page.getByText('Nothing matches.').waitFor();

  await button(page, 'New secret…').click();
  await inDialog(page, 'Create secret').click();
  await heading(page, 'Copy the secret now').waitFor();
  expect(await secretShown(page)).not.toBe(secret);

  await button(page, 'Change…').click();
  for (const event of ['created', 'revoked', 'flagged', 'cleared', 'clicked'])
    await dialog.getByLabel(`link.${event}:`).uncheck();
  await inDialog(page, 'Save').click();
  await dialog.getByText('Events must have 1 to 6 different events.').waitFor();
  await dialog.getByLabel('link.flagged:').check();
  await inDialog(page, 'Save').click();
  await dialog.waitFor({ state: 'detached' });
  await page.locator('.meta .tag').nth(1).waitFor({ state: 'detached' });
  expect(await page.locator('.meta .tag').allTextContents()).toEqual(['link.flagged']);

  await button(page, 'Disable').click();
  await page.getByText('You disabled it.').waitFor();
  expect(await button(page, 'Send a test').getAttribute('aria-disabled')).toBe('true');
  await check(page, 'webhook-off');
  await button(page, 'Enable').click();
  await page.locator('.badge', { hasText: 'Enabled' }).waitFor();

  await button(page, 'Delete…').click();
  await check(page, 'webhook-delete');
  await inDialog(page, 'Delete webhook').click();
  await page.getByText('No webhooks yet.').waitFor();
  await page.goBack();
  await heading(page, 'You have no webhook with this ID.').waitFor();
}, 180_000);

test('an administrator makes a webhook about the links of all accounts', async () => {
  const { page } = await newAdministrator();
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await button(page, 'Create webhook').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Address').fill(receiver.url);
  await inDialog(page, 'All accounts').click();
  await dialog.getByLabel('case.opened:').waitFor();
  expect(await dialog.getByRole('checkbox').count()).toBe(2);
  await check(page, 'webhook-installation');
  await inDialog(page, 'Create webhook').click();
  await heading(page, 'Copy the secret now').waitFor();
  await secretShown(page);
  expect(await page.locator('tbody .tag').allTextContents()).toEqual(['All accounts', 'case.opened', 'link.flagged']);
  await page.locator('tbody a').click();
  await button(page, 'Disable').click();
  await page.getByText('You disabled it.').waitFor();
  expect(await page.locator('.meta .tag').allTextContents()).toEqual(['All accounts', 'case.opened', 'link.flagged']);
}, 120_000);

test('the browser reported no error and sent no request to other hosts', () => expectContent(2));
