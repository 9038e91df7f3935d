import { describe, expect, test } from '@jest/globals';
import { until } from '@waypost/test-support';
import { Webhook } from 'standardwebhooks';
import { type ApiClient, product } from '../product.ts';
import { comesTo, expectError, freshHost, ISO_TIME, importFeed, newSlug, times, visit } from '../support.ts';
import { type Answer, apiClient, type Json } from '../waypost-process.ts';
import { startReceiver } from '../webhook-receiver.ts';

const { waypost, newClient } = product();

const ALL = ['link.created', 'link.revoked', 'link.flagged', 'link.cleared', 'link.clicked'];
const MESSAGE_ID = /^msg_[0-9a-f-]{36}$/;
const secrets: string[] = [];
const receiver = await startReceiver();

async function aWebhook(events: readonly string[] = ALL) {
  const api = await newClient();
  const url = `${receiver.url}/${crypto.randomUUID()}`;
  const { status, body } = await api('POST', '/api/v1/webhooks', { url, events });
  expect(status).toBe(201);
  secrets.push(body.secret);
  return { api, ...body, path: `/api/v1/webhooks/${body.id}` } as { api: ApiClient; path: string } & Json;
}
const about = (slug: string) => receiver.received.filter(({ body }) => body.includes(`"${slug}"`));
const clicksOf = (slug: string) => {
  const messages = about(slug).filter(({ message }) => message.type === 'link.clicked');
  const clicks: Json[] = messages.flatMap(({ message }) => message.data.clicks);
  return new Map(clicks.map((click) => [click.id, click]));
};
const typesOf = (slug: string) => [...new Set(about(slug).map(({ message }) => message.type))].toSorted();
const logOf = async ({ api, path }: { api: ApiClient; path: string }): Promise<Json[]> =>
  (await api('GET', `${path}/deliveries`)).body.data;

describe('events', () => {
  test('of each kind reach the webhooks of their own account only, and are signed', async () => {
    const [one, other] = [await aWebhook(), await aWebhook()];
    const host = freshHost('hooked');
    const slug = await newSlug(one.api, { destination_url: `https://${host}/` });
    const revoked = await newSlug(one.api);
    await one.api('POST', `/api/v1/links/${revoked}/revoke`);
    await visit(waypost.redirect, `/${slug}`);
    await visit(waypost.redirect, `/${slug}`);
    // Clicks are read 20 s after they are stored.
    await comesTo(() => clicksOf(slug).size, 2, 90_000);
    await importFeed(waypost, `https://${host}/\n`);
    await until(() => typesOf(slug).includes('link.flagged'), 60_000);
    await waypost.admin('review', { slug, decision: 'clear', reason: 'a test' });
    await comesTo(() => typesOf(slug).length, 4, 30_000);
    await comesTo(() => typesOf(revoked).length, 2, 30_000);
    expect(typesOf(slug)).toEqual(['link.cleared', 'link.clicked', 'link.created', 'link.flagged']);
    expect(typesOf(revoked)).toEqual(['link.created', 'link.revoked']);

    for (const { headers, body } of [...about(slug), ...about(revoked)]) {
      expect(headers['webhook-id']).toMatch(MESSAGE_ID);
      expect(headers['content-type']).toBe('application/json');
      expect(() => new Webhook(one.secret).verify(body, headers)).not.toThrow();
      expect(() => new Webhook(other.secret).verify(body, headers)).toThrow();
    }
    const flagged = about(slug).find(({ message }) => message.type === 'link.flagged')!;
    expect(flagged.message).toEqual({
      type: 'link.flagged',
      timestamp: expect.stringMatching(ISO_TIME),
      data: {
        slug,
        short_url: expect.stringMatching(new RegExp(`^http.*/${slug}$`)),
        destination_url: `https://${host}/`,
        status: 'flagged',
        threat_type: 'malware',
        version: 2,
      },
    });
    const [click] = clicksOf(slug).values();
    expect(Object.keys(click).join()).toBe('id,slug,at,country,device,browser,referrer,bot');
    expect(click).toMatchObject({ slug, at: expect.stringMatching(ISO_TIME), referrer: null });
    expect(await logOf(other)).toEqual([]);
  });

  test('are sent again with the same id after a failure, and the log shows it', async () => {
    const webhook = await aWebhook(['link.created']);
    receiver.answer((_received, response) => response.writeHead(500).end('not now'));
    const slug = await newSlug(webhook.api);
    const failing = await comesTo(() => logOf(webhook), [{ last_status: 500 }], 20_000);
    expect(failing).toEqual([
      {
        id: expect.stringMatching(MESSAGE_ID),
        type: 'link.created',
        state: 'pending',
        created_at: expect.stringMatching(ISO_TIME),
        attempts: 1,
        last_attempt_at: expect.stringMatching(ISO_TIME),
        next_attempt_at: expect.stringMatching(ISO_TIME),
        last_status: 500,
        last_error: 'returned status 500',
        last_answer: 'not now',
      },
    ]);
    expect((await webhook.api('GET', webhook.path)).body.failing_since).toMatch(ISO_TIME);
    receiver.answer((_received, response) => response.end());
    const success = { state: 'delivered', attempts: 2, last_status: 200, next_attempt_at: null };
    const [delivered] = await comesTo(() => logOf(webhook), [{ state: 'delivered' }], 30_000);
    expect(delivered).toMatchObject(success);
    expect(new Set(about(slug).map(({ id }) => id))).toEqual(new Set([delivered.id]));
    expect((await webhook.api('GET', webhook.path)).body.failing_since).toBeNull();

    // A replay must send the same message again.
    const replay = `${webhook.path}/deliveries/${delivered.id}/replay`;
    const again = await webhook.api('POST', replay);
    expect([again.status, again.body]).toMatchObject([200, { id: delivered.id, state: 'pending', attempts: 0 }]);
    await comesTo(() => about(slug).length, 3, 20_000);
    expect(new Set(about(slug).map(({ id, body }) => id + body)).size).toBe(1);
  });

  test('stop when the webhook is deleted or disabled; a 410 disables it at once', async () => {
    const [deleted, off, gone] = [await aWebhook(), await aWebhook(), await aWebhook()];
    const { status, body } = await deleted.api('DELETE', deleted.path);
    expect([status, body]).toEqual([200, { id: deleted.id, deleted_at: expect.stringMatching(ISO_TIME) }]);
    expectError(await deleted.api('GET', deleted.path), 404);
    expectError(await deleted.api('DELETE', deleted.path), 404);
    const change = { url: off.url, events: ALL, enabled: false };
    expect((await off.api('PUT', off.path, change)).body).toMatchObject({ enabled: false, disabled_reason: 'owner' });
    const slugs = [await newSlug(deleted.api), await newSlug(off.api)];

    receiver.answer((_received, response) => response.writeHead(410).end());
    const slug = await newSlug(gone.api);
    const read = async () => (await gone.api('GET', gone.path)).body;
    const switchedOff = { disabled_reason: 'gone', disabled_at: expect.stringMatching(ISO_TIME) };
    expect(await comesTo(read, { enabled: false }, 20_000)).toMatchObject(switchedOff);
    receiver.answer((_received, response) => response.end());
    const later = await newSlug(gone.api);
    expectError(await gone.api('POST', `${gone.path}/test`), 400);
    expect((await gone.api('PUT', gone.path, { url: gone.url, events: ALL, enabled: true })).body).toMatchObject({
      enabled: true,
      disabled_reason: null,
    });
    const last = await newSlug(gone.api);
    await until(() => about(last).length > 0, 20_000);
    expect(about(slug)).toHaveLength(1);
    for (const none of [...slugs, later]) expect(about(none)).toEqual([]);
    expect(waypost.output()).toContain('"a webhook was disabled"');
  });
});

test('a test is sent once, even if it fails', async () => {
  const webhook = await aWebhook(['link.revoked']);
  receiver.answer((_received, response) => response.writeHead(500).end());
  const { status, body } = await webhook.api('POST', `${webhook.path}/test`);
  expect(status).toBe(201);
  await comesTo(() => logOf(webhook), [{ state: 'failed', last_status: 500 }], 20_000);
  receiver.answer((_received, response) => response.end());
  const sent = receiver.received.filter(({ id }) => id === body.id);
  expect(sent.map(({ message }) => [message.type, message.data.webhook])).toEqual([['webhook.test', webhook.id]]);
});

test('a new host gets a new secret, which the answer shows once', async () => {
  const webhook = await aWebhook(['link.revoked']);
  const put = async (url: string) => (await webhook.api('PUT', webhook.path, { url, events: ALL, enabled: true })).body;
  expect((await put(`${webhook.url}/more`)).secret).toBeNull();
  const { secret } = await put(webhook.url.replace('127.0.0.1', '127.0.0.2'));
  expect(secret).toMatch(/^whsec_/);
  expect(secret).not.toBe(webhook.secret);
  await put(webhook.url);
  const [last] = (await webhook.api('GET', '/api/v1/webhooks')).body.data;
  expect(last).not.toHaveProperty('secret');
});

test('a webhook names its key, and ends with it if its owner wishes so; all of it is in the audit log', async () => {
  const { key, id, email } = await waypost.newKey();
  const { key: other } = await waypost.newKey('admin', { admin: true });
  const [api, admin] = [apiClient(waypost.api, key), apiClient(waypost.api, other)];
  const create = async () =>
    (await api('POST', '/api/v1/webhooks', { url: `${receiver.url}/${crypto.randomUUID()}`, events: ALL })).body;
  const [one, two, off] = [await create(), await create(), await create()];
  expect([one.key_id, two.key_id]).toEqual([id, id]);
  await api('PUT', `/api/v1/webhooks/${off.id}`, { url: off.url, events: ALL, enabled: false });
  await api('POST', `/api/v1/webhooks/${two.id}/secret`);
  await api('DELETE', `/api/v1/webhooks/${two.id}`);
  const path = `/api/v1/admin/keys/${id}?webhooks`;
  expectError(await admin('DELETE', `${path}=burn`), 400, ['webhooks']);
  expect((await admin('DELETE', `${path}=switch_off`)).body).toMatchObject({
    id,
    webhooks: [
      { id: one.id, url: one.url, enabled: false },
      { id: off.id, url: off.url, enabled: false },
    ],
  });
  const { body } = await admin('GET', `/api/v1/admin/audit?subject=${email}&limit=8`);
  expect(body.data.map(({ action, detail }: Json) => [action, detail])).toEqual([
    ['webhook.changed', new URL(receiver.url).host],
    ['key.deleted', 'test'],
    ['webhook.deleted', new URL(receiver.url).host],
    ['webhook.secret_rotated', new URL(receiver.url).host],
    // Of the webhook that was switched off before, and is not noted again.
    ['webhook.changed', new URL(receiver.url).host],
    ['webhook.created', new URL(receiver.url).host],
    ['webhook.created', new URL(receiver.url).host],
    ['webhook.created', new URL(receiver.url).host],
  ]);
});

describe('the API refuses', () => {
  const shape = { url: 'https://hooks.example.com/', events: ['link.created'] };

  test.each<[string, Json, string]>([
    ['plain http', { ...shape, url: 'http://hooks.example.com/' }, 'url'],
    ['the metadata of a cloud', { ...shape, url: 'https://169.254.169.254/latest' }, 'url'],
    ['credentials', { ...shape, url: 'https://user:pass@hooks.example.com/' }, 'url'],
    ['too long a URL', { ...shape, url: `https://hooks.example.com/${'x'.repeat(2_100)}` }, 'url'],
    ['an unknown event', { ...shape, events: ['link.exploded'] }, 'events[0]'],
    ['an event twice', { ...shape, events: ['link.created', 'link.created'] }, 'events'],
    ['100,000 events', { ...shape, events: times(100_000, () => 'link.created') }, 'events'],
    ['an unknown field', { ...shape, secret: 'whsec_AAAA' }, 'secret'],
  ])('%s', async (_name, body, field) => {
    const api = await newClient();
    const answer: Answer = await api('POST', '/api/v1/webhooks', body);
    expectError(answer, 400);
    expect(answer.body.details).toHaveProperty([field]);
  });

  test('the address of this service', async () => {
    const api = await newClient();
    const url = `http://localhost:${new URL(waypost.api).port}/api/v1/links`;
    const answer = await api('POST', '/api/v1/webhooks', { ...shape, url });
    expectError(answer, 400, ['url']);
    expect(answer.body.details.url).toBe('must not lead back to this service');
  });

  test('an id that is malformed, or of another account', async () => {
    const [one, two] = [await aWebhook(), await aWebhook()];
    await two.api('POST', `${two.path}/test`);
    const [{ id }] = await logOf(two);
    for (const webhook of [two.id, 'x', '%00', '..%2f..', 'x'.repeat(5_000), '0'.repeat(36)]) {
      const path = `/api/v1/webhooks/${webhook}`;
      expectError(await one.api('GET', path), 404);
      expectError(await one.api('PUT', path, { ...shape, enabled: true }), 404);
      expectError(await one.api('DELETE', path), 404);
      for (const action of ['secret', 'test', `deliveries/${id}/replay`])
        expectError(await one.api('POST', `${path}/${action}`), 404);
      expectError(await one.api('GET', `${path}/deliveries`), 404);
    }
    for (const delivery of [id, 'x', '%00', 'msg_', 'msg_x', `msg_${crypto.randomUUID()}`])
      expectError(await one.api('POST', `${one.path}/deliveries/${delivery}/replay`), 404);
    for (const before of ['x', 'msg_', `${id}0`])
      expectError(await one.api('GET', `${one.path}/deliveries?before=${before}`), 400, ['before']);
    expectError(await one.api('GET', `${one.path}/deliveries?state=lost`), 400, ['state']);
    // A delivery of another account must look like one that does not exist.
    expect((await one.api('GET', `${one.path}/deliveries?before=${id}`)).body).toEqual({ data: [], next: null });
  });

  test('more than 100 tests and replays of an account in 15 minutes, even if its webhooks were deleted', async () => {
    const one = await aWebhook();
    for (let i = 0; i < 100; i++)
      expectError(await one.api('POST', `${one.path}/deliveries/msg_${crypto.randomUUID()}/replay`), 404);
    const { id } = (await one.api('POST', '/api/v1/webhooks', { ...shape, url: `${receiver.url}/other` })).body;
    for (const path of [`deliveries/msg_${crypto.randomUUID()}/replay`, 'test'])
      expectError(await one.api('POST', `/api/v1/webhooks/${id}/${path}`), 429);
    const { body: document } = await one.api('GET', '/openapi.json');
    for (const operation of ['test', 'deliveries/{delivery}/replay'])
      expect(document.paths[`/api/v1/webhooks/{webhook}/${operation}`].post.description).toContain(
        'An account may request up to 100 tests and replays in 15 minutes.',
      );
  });

  test('an eleventh webhook, and a key without the scope', async () => {
    const { api } = await aWebhook();
    for (const { status } of await Promise.all(times(9, () => api('POST', '/api/v1/webhooks', shape))))
      expect(status).toBe(201);
    expectError(await api('POST', '/api/v1/webhooks', shape), 409);
    const [reader, writer] = [await newClient('read'), await newClient('write')];
    const at = `/api/v1/webhooks/${crypto.randomUUID()}`;
    // A webhook tells what only `read` may know, so `write` alone does not make one.
    for (const client of [reader, writer]) {
      const refused = await client('POST', '/api/v1/webhooks', shape);
      expectError(refused, 403);
      expect(refused.body.message).toBe('This requires an API key with the scopes "read" and "write".');
      expectError(await client('PUT', at, { ...shape, enabled: true }), 403);
      for (const action of ['secret', 'test', `deliveries/msg_${crypto.randomUUID()}/replay`])
        expectError(await client('POST', `${at}/${action}`), 403);
    }
    expect((await reader('GET', '/api/v1/webhooks')).body).toEqual({ data: [], limit: 10 });
    expectError(await writer('GET', '/api/v1/webhooks'), 403);
    expectError(await reader('DELETE', at), 403);
    expectError(await writer('DELETE', at), 404);
  });
});

test('no secret is in a log or in a later answer', async () => {
  expect(secrets.length).toBeGreaterThan(5);
  for (const secret of secrets) expect(waypost.output()).not.toContain(secret.slice(6));
  const { api, path, secret } = await aWebhook();
  for (const where of ['/api/v1/webhooks', path, `${path}/deliveries`])
    expect(JSON.stringify((await api('GET', where)).body)).not.toContain(secret);
});
