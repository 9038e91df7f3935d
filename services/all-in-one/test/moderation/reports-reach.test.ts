/** A report and a review request reach a person: as a metric, a number, a message to a webhook and a mail. */
import { beforeAll, expect, test } from '@jest/globals';
import { until } from '@waypost/test-support';
import { startMailServer } from '@waypost/test-support/mail-server';
import { Webhook } from 'standardwebhooks';
import { ofOneProcess, product } from '../product.ts';
import {
  comesTo,
  expectError,
  freshHost,
  ISO_TIME,
  importFeed,
  listedUrl,
  metricOf,
  newSlug,
  visit,
} from '../support.ts';
import { apiClient, type Json } from '../waypost-process.ts';
import { startReceiver } from '../webhook-receiver.ts';
import { administrator } from './administrator.ts';

const server = await startMailServer();
const receiver = await startReceiver();
const { waypost, api, newClient } = product({
  TRUSTED_PROXIES: '127.0.0.1',
  WEBHOOK_HOSTS_ALLOWED: '127.0.0.0/8',
  SMTP_URL: `smtp://127.0.0.1:${server.port}`,
  MAIL_FROM: 'waypost@example.org',
  MAIL_TO: 'abuse@example.org',
});
const { admin } = administrator(waypost);

const EVENTS = ['case.opened', 'link.flagged'];
const newWebhook = (client: typeof api, more: object = {}) =>
  client('POST', '/api/v1/webhooks', { url: receiver.url, events: EVENTS, scope: 'installation', ...more });
let webhook: Json;
beforeAll(async () => {
  const created = await newWebhook(admin);
  expect([created.status, created.body]).toMatchObject([201, { scope: 'installation', events: EVENTS }]);
  webhook = created.body;
});

let visitors = 0;
/** Sends the form of the report page, as a visitor's browser does. Resolves to the number of the case. */
async function file(fields: Record<string, string>): Promise<string> {
  const answer = await fetch(`${waypost.api}/report`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'X-Forwarded-For': `10.7.0.${++visitors}` },
    body: new URLSearchParams(fields),
  });
  expect(answer.status).toBe(303);
  return answer.headers.get('location')!.split(/[/?]/)[2]!;
}

const messageAbout = async (word: string): Promise<Json> => {
  const isAbout = ({ body }: { body: string }) => body.includes(word);
  await until(() => receiver.received.some(isAbout), 20_000);
  const { headers, body, message } = receiver.received.find(isAbout)!;
  expect(() => new Webhook(webhook.secret).verify(body, headers)).not.toThrow();
  return message;
};

test('a report and a review request reach the count, the webhook of the installation and a mailbox', async () => {
  const [reported, flagged] = [await newSlug(api), await newSlug(api, { destination_url: await listedUrl(waypost) })];
  const secret = 'My name is Ottilie.';
  const report = await file({ about: 'report', category: 'phishing', link: reported, message: secret });
  const review = await file({ about: 'review', link: flagged, message: secret });
  const one = { open: 1, oldest_at: expect.stringMatching(ISO_TIME) };
  expect((await admin('GET', '/api/v1/admin/cases/count')).body).toEqual({ report: one, review: one });

  const url = (slug: string) => expect.stringMatching(new RegExp(`^http.*/admin/reports\\?about=${slug}$`));
  const short_url = (slug: string) => expect.stringMatching(new RegExp(`^http.*/${slug}$`));
  const common = { by_owner: false };
  expect(await messageAbout(report)).toEqual({
    type: 'case.opened',
    timestamp: expect.stringMatching(ISO_TIME),
    data: {
      number: report,
      kind: 'report',
      slug: reported,
      short_url: short_url(reported),
      category: 'phishing',
      url: url(reported),
      ...common,
    },
  });
  expect((await messageAbout(review)).data).toEqual({
    number: review,
    kind: 'review',
    slug: flagged,
    short_url: short_url(flagged),
    category: null,
    url: url(flagged),
    ...common,
  });

  // The second case may come after the first mail, whose successor is sent ten minutes later.
  await until(() => server.received.length > 0, 20_000);
  const [mail] = server.received;
  expect(mail).toMatchObject({ from: 'waypost@example.org', to: ['abuse@example.org'] });
  expect(mail!.headers).toMatch(/^Subject: Waypost: 1 new report/m);
  expect(mail!.text).toContain(`Report (phishing): `);
  expect(mail!.text).toContain(`/${reported}`);

  expect(JSON.stringify([receiver.received, server.received])).not.toContain('Ottilie');
});

ofOneProcess('the open cases of each kind, and the age of the oldest, are metrics', async () => {
  const openCases = (kind: string) => metricOf(waypost.internal, `waypost_cases_open{kind="${kind}"}`);
  const [reports = 0, reviews = 0] = await Promise.all(['report', 'review'].map(openCases));
  const number = await file({ about: 'report', category: 'scam', link: await newSlug(api), message: '' });
  await file({
    about: 'review',
    link: await newSlug(api, { destination_url: await listedUrl(waypost) }),
    message: 'x',
  });
  expect([await openCases('report'), await openCases('review')]).toEqual([reports + 1, reviews + 1]);
  const age = await metricOf(waypost.internal, 'waypost_cases_oldest_age_seconds{kind="review"}');
  expect(age).toBeGreaterThan(0);
  await admin('POST', `/api/v1/admin/cases/${number}/decision`, { decision: 'dismissed', reason: 'x' });
  await comesTo(() => openCases('report'), reports);
});

test("the owner's request for a review reaches the webhook once, however often it is sent", async () => {
  const slug = await newSlug(api, { destination_url: await listedUrl(waypost) });
  const ask = () => api('POST', `/api/v1/links/${slug}/review-request`, { message: 'It is our shop.' });
  const { number } = (await ask()).body;
  expect((await ask()).body.number).toBe(number);
  expect((await messageAbout(number)).data).toMatchObject({ kind: 'review', slug, by_owner: true });
  await ask();
  expect(new Set(receiver.received.filter(({ body }) => body.includes(number)).map(({ id }) => id)).size).toBe(1);
});

test('a link of any account that is flagged later reaches the webhook', async () => {
  const host = freshHost('later');
  const slug = await newSlug(await newClient(), { destination_url: `https://${host}/` });
  await importFeed(waypost, `https://${host}/\n`);
  expect(await messageAbout(`"${slug}"`)).toMatchObject({
    type: 'link.flagged',
    data: { slug, destination_url: `https://${host}/`, status: 'flagged', threat_type: 'malware' },
  });
  expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(403);
});

test('a webhook of the installation is made, moved and signed by administrators alone', async () => {
  expectError(await newWebhook(api), 403);
  expectError(await newWebhook(admin, { events: ['link.clicked'] }), 400, ['events']);
  expectError(await newWebhook(api, { scope: 'account', events: ['case.opened'] }), 400, ['events']);
  expectError(await newWebhook(api, { scope: 'everything' }), 400, ['scope']);
  // A key of an administrator's account without the scope `admin` reads and writes only what is the account's own.
  const { key, email } = await waypost.newKey('admin', { admin: true });
  const { key: lesser } = await waypost.admin<{ key: string }>('create-key', {
    email,
    name: 'lesser',
    scopes: 'read,write',
  });
  const [own, other] = [apiClient(waypost.api, key), apiClient(waypost.api, lesser)];
  expectError(await newWebhook(other), 403);
  const { body } = await newWebhook(own);
  const path = `/api/v1/webhooks/${body.id}`;
  expectError(await other('PUT', path, { url: receiver.url, events: EVENTS, enabled: true }), 403);
  expectError(await other('POST', `${path}/secret`), 403);
  const changed = await own('PUT', path, { url: receiver.url, events: ['case.opened'], enabled: true });
  expect(changed.body).toMatchObject({ scope: 'installation', events: ['case.opened'], enabled: true });
  expectError(await own('PUT', path, { url: receiver.url, events: ['link.created'], enabled: true }), 400, ['events']);
  expect((await other('DELETE', path)).status).toBe(200);
});
