import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { inProcessBus } from '@waypost/adapter-embedded';
import { CLICKS, type ClickEvent } from '@waypost/domain';
import { SILENT, until } from '@waypost/test-support';
import { storedSlug } from '../../test/links.ts';
import { newOwner, openStores } from '../../test/stores.ts';
import { keepClicks, subscribeToClicks } from './clicks.consumer.ts';
import { deliverWebhooks, type WebhookDeliveries } from './deliver.job.ts';
import { deliverWebhook } from './deliver.ts';
import { WEBHOOK_LIMITS, type WebhookEvent } from './webhook.ts';
import type { SendWebhook, WebhookAnswer, WebhookAttempt } from './webhooks.port.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOON = new Date('2026-06-01T12:00:00.000Z');
const after = (ms: number) => new Date(NOON.getTime() + ms);
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const stores = await openStores();
const { db, webhooks, webhookQueue: queue } = stores;
beforeEach(async () => {
  await db.query('DELETE FROM webhooks; DELETE FROM webhook_deliveries; DELETE FROM webhook_clicks');
});

async function aReceiver(events: readonly WebhookEvent[] = ['link.created'], url = 'https://hooks.example.org/') {
  const accountId = await newOwner(stores);
  const webhook = await webhooks.create({ accountId, url, events, secret: SECRET, at: NOON });
  const slug = await storedSlug(stores, accountId, NOON);
  return {
    webhook,
    slug,
    read: async () => (await webhooks.find(accountId, webhook.id))!,
    deliveries: () => webhooks.deliveries(webhook.id, { state: undefined, before: undefined, limit: 1_000 }),
    send: (count: number, at = NOON) =>
      queue.queueLinkEvents(
        Array.from({ length: count }, () => ({
          type: 'link.created' as const,
          slug,
          eventId: randomUUID(),
          body: '{}',
          at,
        })),
        at,
      ),
  };
}

const rethrow = (error: unknown) => {
  throw error;
};
const ok: WebhookAnswer = { status: 200, answer: '', error: null };
const broken: WebhookAnswer = { status: 500, answer: 'no', error: null };

/** Attempts each delivery when it is due, until none is pending or `forMs` milliseconds are over. */
async function attemptUntil(answer: (attempt: WebhookAttempt, at: Date) => WebhookAnswer, forMs: number, from = NOON) {
  let clock = from;
  const end = new Date(from.getTime() + forMs);
  const attempts: (WebhookAttempt & { readonly after: number })[] = [];
  const notices: object[] = [];
  const logger = {
    debug: () => undefined,
    warn: (message: string, facts?: object) => notices.push({ message, ...facts }),
  };
  const sendWebhook: SendWebhook = async (attempt) => {
    attempts.push({ ...attempt, after: clock.getTime() - from.getTime() });
    return answer(attempt, clock);
  };
  while (clock <= end) {
    const claimed = await queue.claim({
      now: clock,
      leaseUntil: new Date(clock.getTime() + 30_000),
      busy: [],
      perWebhook: 8,
      limit: 32,
      failing: 16,
    });
    for (const delivery of claimed) {
      await deliverWebhook(
        { webhookQueue: queue, sendWebhook, logger: logger as never, now: () => clock },
        delivery,
        new AbortController().signal,
      );
    }
    const [{ next } = { next: null }] = await db.query<{ next: Date | null }[]>(
      `SELECT min(next_attempt_at) AS next FROM webhook_deliveries WHERE state = 'pending'`,
    );
    if (next === null) break;
    clock = new Date(Math.max(next.getTime(), clock.getTime() + 1));
  }
  return { attempts, notices };
}

describe('a message', () => {
  test('keeps its id and body while it is refused, and is delivered later', async () => {
    const receiver = await aReceiver();
    await receiver.send(1);
    const { attempts } = await attemptUntil((_attempt, at) => (at < after(HOUR_MS) ? broken : ok), DAY_MS);
    expect(new Set(attempts.map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
    expect(attempts.length).toBeGreaterThan(7);
    expect(attempts[1]!.after).toBeGreaterThanOrEqual(5_000);
    expect(attempts[1]!.after).toBeLessThanOrEqual(10_001);
    expect(await receiver.deliveries()).toMatchObject([
      { state: 'delivered', attempts: attempts.length, lastStatus: 200, lastError: null, nextAttemptAt: null },
    ]);
    expect(await receiver.read()).toMatchObject({ failingSince: null, disabled: null });
  });

  test('is given up after a day, and the webhook is switched off after three days of failures', async () => {
    const receiver = await aReceiver();
    await receiver.send(1);
    const first = await attemptUntil(() => broken, 2 * DAY_MS);
    expect(first.attempts.length).toBeGreaterThan(12);
    expect(first.attempts.length).toBeLessThan(30);
    expect(first.attempts.at(-1)!.after).toBeGreaterThan(18 * HOUR_MS);
    expect(first.attempts.at(-1)!.after).toBeLessThanOrEqual(DAY_MS);
    expect(await receiver.deliveries()).toMatchObject([
      { state: 'failed', lastStatus: 500, lastError: 'answered 500', lastAnswer: 'no' },
    ]);
    expect(first.notices).toEqual([]);
    expect(await receiver.read()).toMatchObject({ failingSince: NOON, disabled: null });

    const later = after(3 * DAY_MS);
    await receiver.send(1, later);
    const second = await attemptUntil(() => broken, 2 * DAY_MS, later);
    expect(await receiver.read()).toMatchObject({ disabled: { reason: 'failing' } });
    expect(second.notices).toEqual([
      {
        message: 'a webhook was switched off',
        webhook: receiver.webhook.id,
        account: receiver.webhook.accountId,
        reason: 'failing',
      },
    ]);
    expect(await receiver.send(1, after(5 * DAY_MS))).toBe(0);
  });

  test('of a test is sent only once', async () => {
    const receiver = await aReceiver();
    await webhooks.queue(receiver.webhook.id, { type: 'webhook.test', body: '{}', at: NOON });
    const { attempts } = await attemptUntil(() => broken, DAY_MS);
    expect(attempts).toHaveLength(1);
    expect(await receiver.deliveries()).toMatchObject([{ state: 'failed' }]);
    expect(await receiver.read()).toMatchObject({ disabled: null });
  });
});

describe('processes that deliver', () => {
  const jobs: WebhookDeliveries[] = [];
  const start = (sendWebhook: SendWebhook, webhookConcurrency = 32) => {
    const options = { sendWebhook, webhookConcurrency, logger: SILENT, now: () => new Date(), onLateError: rethrow };
    jobs.push(deliverWebhooks({ webhookQueue: queue, ...options }));
  };
  const stopAll = () => Promise.all(jobs.splice(0).map((job) => job.stop()));

  test('share the work and send each message once', async () => {
    const [one, two] = [await aReceiver(), await aReceiver()];
    await one.send(200);
    await two.send(200);
    const sent: string[] = [];
    const send: SendWebhook = async ({ id }) => {
      sent.push(id);
      return ok;
    };
    start(send);
    start(send);
    await until(() => sent.length >= 400);
    await stopAll();
    expect(new Set(sent).size).toBe(400);
    expect(sent).toHaveLength(400);
  });

  test('do not delay other receivers if some hang', async () => {
    const hanging = await Promise.all(
      Array.from({ length: 12 }, () => aReceiver(['link.created'], 'https://hang.example.org/')),
    );
    for (const each of hanging) await each.send(20);
    const healthy = await aReceiver();
    let arrived = 0;
    start(async ({ url }, stopping) => {
      if (!url.includes('hang')) {
        arrived += 1;
        return ok;
      }
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, 400);
        stopping.addEventListener('abort', () => resolve(clearTimeout(timer)));
      });
      return { status: null, answer: null, error: 'no answer within 10 s' };
    }, 8);
    // Each of these receivers has hung once by now, so they are known to fail.
    await until(async () =>
      (await Promise.all(hanging.map(({ read }) => read()))).every(({ failingSince }) => failingSince),
    );
    await healthy.send(50, new Date());
    const startedAt = performance.now();
    await until(() => arrived === 50);
    // One round of attempts at the hanging receivers takes 400 ms. All their messages would take over ten seconds.
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    await stopAll();
  });
});

describe('clicks', () => {
  const clickOf = (slug: string, at: number, change: Partial<ClickEvent> = {}): ClickEvent => ({
    v: 2,
    type: 'click.recorded',
    id: `${randomUUID().slice(0, 14)}7${randomUUID().slice(15)}`,
    account_id: randomUUID(),
    slug,
    at,
    visitor: '0123456789abcdef',
    country: 'CH',
    user_agent: '"\\ü',
    referrer: '',
    ...change,
  });
  const deliveriesOf = (clicks: readonly ClickEvent[]) =>
    clicks.map((event) => ({ event, message: { key: event.id, value: '' } }));
  const never = () => {
    throw new Error('parked');
  };

  test('are sent without the visitor, at most 1,000 in a message or every five seconds', async () => {
    const receiver = await aReceiver(['link.clicked']);
    const stranger = await aReceiver(['link.created']);
    const handle = keepClicks({ webhookQueue: queue });
    const early = clickOf(receiver.slug, NOON.getTime() - 1);
    const clicks = Array.from({ length: 2_600 }, (_, i) => clickOf(receiver.slug, NOON.getTime() + i));
    await handle(
      deliveriesOf([early, clickOf(stranger.slug, NOON.getTime()), clickOf('unknown', NOON.getTime())]),
      never,
      () => undefined,
    );
    await handle(deliveriesOf(clicks), never, () => undefined);

    const bundles: number[] = [];
    for (const ms of [0, 1, 2, 6_000, 60_000]) bundles.push(await queue.bundleClicks(after(ms)));
    expect(bundles).toEqual([1, 1, 0, 1, 0]);
    const { attempts } = await attemptUntil(() => ok, 0, after(60_000));
    // Messages to one receiver are sent at the same time, so they arrive in any order.
    const bodies = attempts.map(({ body }) => JSON.parse(body)).sort((a, b) => a.timestamp.localeCompare(b.timestamp));
    expect(bodies.map(({ data }) => data.clicks.length)).toEqual([1_000, 1_000, 600]);
    expect(bodies[0]).toMatchObject({ type: 'link.clicked', timestamp: NOON.toISOString() });
    expect(bodies[0].data.clicks[0]).toEqual({
      id: clicks[0]!.id,
      slug: receiver.slug,
      at: NOON.toISOString(),
      country: 'CH',
      user_agent: '"\\ü',
      referrer: null,
    });
    const ids = bodies.flatMap(({ data }) => data.clicks.map(({ id }: { id: string }) => id));
    expect(ids).toEqual(clicks.map(({ id }) => id));
    expect(JSON.stringify(bodies)).not.toContain('0123456789abcdef');
    expect(await stranger.deliveries()).toEqual([]);
  });

  test('are consumed only while a webhook wants them', async () => {
    let groups = 0;
    const bus = inProcessBus({ park: async () => undefined, logger: { warn: () => undefined } });
    const counting: typeof bus = {
      ...bus,
      subscribe: async (...args) => {
        groups += 1;
        const { stop, parked } = await bus.subscribe(...args);
        return {
          parked,
          stop: async (how) => {
            groups -= 1;
            await stop(how);
          },
        };
      },
    };
    await aReceiver(['link.created']);
    const deps = {
      bus: counting,
      webhookQueue: queue,
      redirectBaseUrl: '',
      now: () => new Date(),
      onLateError: rethrow,
    };
    const subscription = await subscribeToClicks(deps);
    expect(groups).toBe(0);
    const wanting = await aReceiver(['link.clicked']);
    await subscription.refresh();
    expect(groups).toBe(1);
    await bus.publish(CLICKS, [clickOf(wanting.slug, NOON.getTime())]);
    expect(await queue.bundleClicks(after(WEBHOOK_LIMITS.clicksEveryMs))).toBe(1);

    await webhooks.delete(wanting.webhook.accountId, wanting.webhook.id);
    await subscription.refresh();
    expect(groups).toBe(0);
    await bus.publish(CLICKS, [clickOf(wanting.slug, NOON.getTime())]);
    expect(await db.query('SELECT FROM webhook_clicks')).toHaveLength(0);
    await subscription.stop();
  });
});
