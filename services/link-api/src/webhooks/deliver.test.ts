import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { WebhookEvent } from '@waypost/domain';
import type { Background } from '@waypost/resilience';
import { SILENT, until } from '@waypost/test-support';
import { storedSlug } from '../../test/links.ts';
import { newOwner, noted, openStores } from '../../test/stores.ts';
import { deliverEvents } from './deliver.job.ts';
import { deliverWebhook } from './deliver.ts';
import type { SendWebhook, WebhookAnswer, WebhookAttempt } from './webhooks.port.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOON = new Date('2026-06-01T12:00:00.000Z');
const after = (ms: number) => new Date(NOON.getTime() + ms);
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const stores = await openStores();
const { db, webhooks, webhookQueue: queue } = stores;
beforeEach(async () => {
  await db.query('DELETE FROM webhooks; DELETE FROM webhook_deliveries');
});

async function aReceiver(
  events: readonly WebhookEvent[] = ['link.created'],
  url = 'https://hooks.example.org/',
  owner?: string,
) {
  const accountId = owner ?? (await newOwner(stores));
  const webhook = await webhooks.create(
    { accountId, scope: 'account', keyId: null, url, events, secret: SECRET, at: NOON },
    noted,
  );
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
          traceparent: undefined,
        })),
        at,
      ),
  };
}

const rethrow = (error: unknown) => {
  throw error;
};
const ok: WebhookAnswer = { status: 200, answer: '', error: null };
/** These tests have no clicks. */
const storedClicks = { read: () => Promise.reject(new Error('no clicks')) };
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
    const leaseUntil = new Date(clock.getTime() + 30_000);
    const claimed = await queue.claim({
      kind: 'events',
      now: clock,
      leaseUntil,
      busy: [],
      attempts: new Map(),
      perWebhook: 8,
      perAccount: 32,
      limit: 32,
      failing: 16,
    });
    for (const delivery of claimed) {
      await deliverWebhook(
        { webhookQueue: queue, storedClicks, sendWebhook, logger: logger as never, now: () => clock },
        delivery,
        leaseUntil,
        new AbortController().signal,
      );
    }
    const [{ next } = { next: null }] = await db.query<{ next: Date | null }>(
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
      { state: 'failed', lastStatus: 500, lastError: 'returned status 500', lastAnswer: 'no' },
    ]);
    expect(first.notices).toEqual([]);
    expect(await receiver.read()).toMatchObject({ failingSince: NOON, disabled: null });

    const later = after(3 * DAY_MS);
    await receiver.send(1, later);
    const second = await attemptUntil(() => broken, 2 * DAY_MS, later);
    expect(await receiver.read()).toMatchObject({ disabled: { reason: 'failing' } });
    expect(second.notices).toEqual([
      {
        message: 'a webhook was disabled',
        webhook: receiver.webhook.id,
        account: receiver.webhook.accountId,
        reason: 'failing',
      },
    ]);
    expect(await receiver.send(1, after(5 * DAY_MS))).toBe(0);
  });

  test.each([
    ['429', 429, 3_600_000, 3_600_000],
    ['503', 503, 3_600_000, 3_600_000],
    ['503 and a year', 503, 365 * DAY_MS, 4 * HOUR_MS],
    ['500, where it has no meaning', 500, 3_600_000, 10_000],
    ['429 and no time at all', 429, 0, 10_000],
  ])('is sent again when the receiver says with %s', async (_name, status, retryAfterMs, ms) => {
    const receiver = await aReceiver();
    await receiver.send(1);
    const busy: WebhookAnswer = { status, answer: '', error: null, retryAfterMs };
    const { attempts } = await attemptUntil((_attempt, at) => (at > NOON ? ok : busy), DAY_MS);
    expect(attempts).toHaveLength(2);
    expect(attempts[1]!.after).toBeGreaterThanOrEqual(ms === 10_000 ? 5_000 : ms);
    expect(attempts[1]!.after).toBeLessThanOrEqual(ms + 1);
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
  const jobs: Background[] = [];
  const start = (sendWebhook: SendWebhook, webhookConcurrency = 32) => {
    const options = { storedClicks, sendWebhook, webhookConcurrency, logger: SILENT };
    const job = deliverEvents({ webhookQueue: queue, ...options, now: () => new Date(), onLateError: rethrow });
    job.start();
    jobs.push(job);
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
      return { status: null, answer: null, error: 'no response within 10 s' };
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

  test('do not delay other accounts if the receivers of one answer slowly', async () => {
    const owner = await newOwner(stores);
    const slow = await Promise.all(
      Array.from({ length: 10 }, () => aReceiver(['link.created'], 'https://slow.example.org/', owner)),
    );
    // Each event makes a message for each of the ten webhooks.
    await slow[0]!.send(40);
    const other = await aReceiver();
    const underWay = { now: 0, most: 0 };
    let arrived = 0;
    const answers: (() => void)[] = [];
    start(async ({ url }) => {
      if (!url.includes('slow')) {
        arrived += 1;
        return ok;
      }
      underWay.now += 1;
      underWay.most = Math.max(underWay.most, underWay.now);
      await new Promise<void>((resolve) => answers.push(resolve));
      underWay.now -= 1;
      return ok;
    }, 8);
    await until(() => underWay.now === 2);
    await other.send(50, new Date());
    // The slow receivers answer nothing meanwhile.
    await until(() => arrived === 50);
    expect(underWay).toEqual({ now: 2, most: 2 });
    const answering = setInterval(() => {
      for (const answer of answers.splice(0)) answer();
    }, 5);
    await stopAll();
    clearInterval(answering);
  });
});
