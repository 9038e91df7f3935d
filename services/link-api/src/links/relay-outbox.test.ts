import { expect, test } from '@jest/globals';
import { until } from '@waypost/test-support';
import { emptyDatabase } from '@waypost/test-support/database';
import { storedSlug } from '../../test/links.ts';
import { newOwner, noted, storesOn } from '../../test/stores.ts';
import { queueLinkEvents } from '../webhooks/queue.ts';
import { relayOutbox } from './relay-outbox.job.ts';

const NOON = new Date('2026-06-01T12:00:00.000Z');

test('an outage of the bus delays no webhook of the first batch, and a repeated event makes one message', async () => {
  const stores = storesOn(await emptyDatabase(), () => undefined);
  const { links, outbox, webhooks, webhookQueue, webhooking } = stores;
  const accountId = await newOwner(stores);
  const url = 'https://hooks.example.org/';
  const webhook = await webhooks.create(
    { accountId, scope: 'account', keyId: null, url, events: ['link.created'], secret: 'whsec_', at: NOON },
    noted,
  );
  await storedSlug(stores, accountId, NOON);
  let refused = 0;

  const relay = await relayOutbox({
    outbox,
    links,
    cache: { put: async () => undefined },
    bus: {
      publishEncoded: async () => {
        if (refused++ < 3) throw new Error('the bus is away');
      },
    },
    queueWebhooks: (events) =>
      queueLinkEvents({ webhookQueue, webhooking, redirectBaseUrl: 'https://go.example', now: () => NOON }, events),
    onLateError: () => undefined,
  });

  const deliveries = () => webhooks.deliveries(webhook.id, { state: undefined, before: undefined, limit: 10 });
  await until(async () => (await deliveries()).length > 0);
  expect(refused).toBeLessThanOrEqual(3);
  await until(async () => (await outbox.backlog()).rows === 0);
  await relay.stop();
  expect(await deliveries()).toHaveLength(1);
});

test('webhook messages that cannot be queued hold no event up for long', async () => {
  const stores = storesOn(await emptyDatabase(), () => undefined);
  const { links, outbox } = stores;
  const slugs: string[] = [];
  for (let i = 0; i < 3; i++) slugs.push(await storedSlug(stores, await newOwner(stores), NOON));
  const published = new Set<string>();
  const lost: unknown[] = [];
  const relay = await relayOutbox(
    {
      outbox,
      links,
      cache: { put: async () => undefined },
      bus: { publishEncoded: async (_topic, rows) => void rows.map(({ key }) => published.add(key)) },
      queueWebhooks: () => Promise.reject(new Error('canceling statement due to statement timeout')),
      onLateError: (error) => lost.push(error),
    },
    1_000,
  );
  // They are published at once, and leave the outbox after the second.
  await until(() => slugs.every((slug) => published.has(slug)));
  await until(async () => (await outbox.backlog()).rows === 0);
  expect(String(lost[0])).toContain('webhook messages');
  const later = await storedSlug(stores, await newOwner(stores), NOON);
  await until(() => published.has(later));
  await relay.stop();
});
