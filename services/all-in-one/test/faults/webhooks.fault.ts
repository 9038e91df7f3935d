import { expect, test } from '@jest/globals';
import { until } from '@waypost/test-support';
import { product } from '../product.ts';
import { comesTo, newSlug, newSlugs, times, visit } from '../support.ts';
import type { Json } from '../waypost-process.ts';
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

const VISITS = 4_000;

test(`${VISITS} clicks are in one message each over two kills, and a message keeps its clicks`, async () => {
  const url = `${receiver.url}/clicks`;
  expect((await api('POST', '/api/v1/webhooks', { url, events: ['link.clicked'] })).status).toBe(201);
  const slug = await newSlug(api);
  const clicks = () => receiver.received.filter(({ message }) => message.type === 'link.clicked');
  const idsIn = (message: Json): string[] => message.data.clicks.map(({ id }: Json) => id);
  for (let i = 0; i < VISITS; i += 40) await Promise.all(times(40, () => visit(waypost.redirect, `/${slug}`)));
  // Both kills come while a message is under way: the receiver does not answer it.
  for (let kill = 0; kill < 2; kill++) {
    let isHit = false;
    receiver.answer(({ message }, response) => {
      isHit ||= message.type === 'link.clicked';
      if (message.type !== 'link.clicked') response.end();
    });
    await until(() => isHit, 120_000);
    await waypost.kill();
    receiver.answer((_received, response) => response.end());
    await waypost.restart();
  }
  await until(() => new Set(clicks().flatMap(({ message }) => idsIn(message))).size === VISITS, 240_000);
  const bodies = Map.groupBy(clicks(), ({ id }) => id);
  for (const [, copies] of bodies) expect(new Set(copies.map(({ body }) => body)).size).toBe(1);
  const once = [...bodies.values()].flatMap(([first]) => idsIn(first!.message));
  expect(once).toHaveLength(VISITS);
}, 600_000);
