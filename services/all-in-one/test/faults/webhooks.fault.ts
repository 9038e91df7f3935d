import { expect, test } from '@jest/globals';
import { product } from '../product.ts';
import { comesTo, newSlugs } from '../support.ts';
import { startReceiver } from '../webhook-receiver.ts';

const EVENTS = 10_000;
const BATCH = 500;

const { waypost, api } = product({ WEBHOOK_HOSTS_ALLOWED: '127.0.0.0/8' });
const receiver = await startReceiver();

test(`${EVENTS} events arrive at least once each over two kills, and few of them twice`, async () => {
  const created = await api('POST', '/api/v1/webhooks', { url: receiver.url, events: ['link.created'] });
  expect(created.status).toBe(201);

  const slugs = new Set<string>();
  for (let i = 0; i < EVENTS / BATCH; i++) {
    for (const slug of await newSlugs(api, BATCH)) slugs.add(slug);
    if (i === 5 || i === 19) {
      await waypost.kill();
      await waypost.restart();
    }
  }
  expect(slugs.size).toBe(EVENTS);
  const events = () => receiver.received.filter(({ message }) => message.type === 'link.created');
  const arrived = () => new Set(events().map(({ message }) => message.data.slug));
  const startedAt = performance.now();
  await comesTo(() => arrived().size, EVENTS, 120_000);
  process.stdout.write(`${EVENTS} events: the rest after ${Math.round(performance.now() - startedAt)} ms\n`);
  expect([...slugs].filter((slug) => !arrived().has(slug))).toEqual([]);
  // Only deliveries that ran at a kill may come twice, with the same id.
  const ids = new Set(events().map(({ id }) => id));
  expect(ids.size).toBe(EVENTS);
  expect(events().length - EVENTS).toBeLessThanOrEqual(100);
}, 300_000);
