import { expect, test } from '@jest/globals';
import { until } from '@waypost/test-support';
import { product } from '../product.ts';
import { newSlug, times, visit } from '../support.ts';
import type { Json } from '../waypost-process.ts';
import { startReceiver } from '../webhook-receiver.ts';

const VISITS = 4_000;

const { waypost, api } = product({ WEBHOOK_HOSTS_ALLOWED: '127.0.0.0/8' });
const receiver = await startReceiver();

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
