import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { clickhouseClickSink, clickhouseStoredClicks, prepareClickHouse } from '@waypost/adapter-clickhouse';
import { startEmbeddedClickHouse } from '@waypost/adapter-embedded';
import { changedWebhook, type EnrichedClick, unavailable, WEBHOOK_LIMITS } from '@waypost/domain';
import type { StoredClicks } from '@waypost/ports';
import type { Background } from '@waypost/resilience';
import { SILENT, until } from '@waypost/test-support';
import { afterwards } from '@waypost/test-support/afterwards';
import { newAccount, noted, openStores } from '../../test/stores.ts';
import { makeClickMessages } from './click-messages.job.ts';
import { deliverClicks } from './deliver.job.ts';
import type { SendWebhook, WebhookAnswer } from './webhooks.port.ts';

const stores = await openStores();
const { db, accounts, suspensions, webhooks, webhookQueue } = stores;
const folder = mkdtempSync(path.join(tmpdir(), 'waypost-clicks-'));
const engine = await startEmbeddedClickHouse(folder);
afterAll(async () => {
  await engine.stop();
  rmSync(folder, { recursive: true });
});
await prepareClickHouse(engine.client, 'waypost');
const sink = clickhouseClickSink(engine.client, 'waypost');
/** Rows have whole seconds, so a second must be over before its rows are read. */
const store = clickhouseStoredClicks(engine.client, 'waypost', 1);

const ok: WebhookAnswer = { status: 200, answer: '', error: null };
const broken: WebhookAnswer = { status: 500, answer: '', error: null };
const rethrow = (error: unknown) => {
  throw error;
};

interface Message {
  readonly url: string;
  readonly id: string;
  readonly body: string;
  readonly clicks: readonly string[];
}

/** One process of link-api, as far as clicks concern it. `answer` decides what the receivers answer. */
function aProcess(
  answer: (message: Message) => WebhookAnswer | Promise<WebhookAnswer>,
  storedClicks: StoredClicks = store,
  now = () => new Date(),
) {
  const messages: Message[] = [];
  const sendWebhook: SendWebhook = async ({ url, id, body }) => {
    const clicks = JSON.parse(body).data.clicks.map((click: { id: string }) => click.id);
    const message = { url, id, body, clicks };
    messages.push(message);
    return answer(message);
  };
  const deps = { webhookQueue, storedClicks, sendWebhook, logger: SILENT, now, onLateError: rethrow };
  const delivering = deliverClicks({ ...deps, webhookConcurrency: 32 });
  const jobs: Background[] = [delivering, makeClickMessages({ ...deps, onMessage: delivering.wake, lookEveryMs: 50 })];
  for (const job of jobs) job.start();
  const stop = () => Promise.all(jobs.map((job) => job.stop()));
  afterwards(stop);
  const of = (url: string) => messages.filter((message) => message.url === url);
  return { messages, of, idsAt: (url: string) => of(url).flatMap(({ clicks }) => clicks), stop };
}

async function anOwner() {
  const { id: accountId, email } = await newAccount(accounts);
  return {
    accountId,
    email,
    newWebhook: async () => {
      const url = `https://hooks.example.org/${randomUUID()}`;
      const webhook = { accountId, keyId: null, url, events: ['link.clicked'] as const, secret: 'whsec_AA==' };
      return webhooks.create({ ...webhook, scope: 'account', at: new Date() }, noted);
    },
    clicks: (count: number, more: Partial<EnrichedClick> = {}) =>
      Array.from(
        { length: count },
        (_, i): EnrichedClick => ({
          id: randomUUID(),
          accountId,
          slug: `s${i % 5}`,
          at: Date.now(),
          visitor: '0123456789abcdef',
          country: 'CH',
          referrer: 'direct',
          device: 'mobile',
          browser: 'Firefox',
          isBot: false,
          ...more,
        }),
      ),
  };
}

const idsOf = (clicks: readonly EnrichedClick[]) => clicks.map(({ id }) => id).toSorted();
const LONG = 60_000;

describe('clicks', () => {
  test('are sent once each, without the visitor, at most 1,000 in a message', async () => {
    const [owner, stranger] = [await anOwner(), await anOwner()];
    const [{ url }, other] = [await owner.newWebhook(), await stranger.newWebhook()];
    const early = owner.clicks(1, { at: Date.now() - 10_000 });
    const clicks = owner.clicks(2_600);
    await sink.store([...early, ...clicks.slice(0, 1_700)]);
    await sink.store(clicks.slice(1_700));
    // Rows that are stored long after their second would join a message that was made before.
    const { of, idsAt } = aProcess(() => ok);
    await until(() => idsAt(url).length >= 2_600, LONG);
    expect(of(url).map((message) => message.clicks.length)).toEqual([1_000, 1_000, 600]);
    expect(idsAt(url).toSorted()).toEqual(idsOf(clicks));
    const { type, data } = JSON.parse(of(url)[0]!.body);
    expect(type).toBe('link.clicked');
    const click = clicks.find(({ id }) => id === data.clicks[0].id)!;
    expect(data.clicks[0]).toEqual({
      id: click.id,
      slug: click.slug,
      at: new Date(click.at).toISOString(),
      country: 'CH',
      device: 'mobile',
      browser: 'Firefox',
      referrer: null,
      bot: false,
    });
    expect(of(other.url)).toEqual([]);
  });

  test('are sent by one process, also if another still waits for the click store when its lease ends', async () => {
    const owner = await anOwner();
    const { url } = await owner.newWebhook();
    let aheadMs = 0;
    const now = () => new Date(Date.now() + aheadMs);
    const reading = Promise.withResolvers<void>();
    const slow = Promise.withResolvers<void>();
    const read: StoredClicks['read'] = async (...range) => {
      reading.resolve();
      await slow.promise;
      return store.read(...range);
    };
    const waits = aProcess(() => ok, { ...store, read }, now);
    await sink.store(owner.clicks(1));
    await reading.promise;
    aheadMs = 31_000;
    const other = aProcess(() => ok, store, now);
    await until(() => other.of(url).length > 0, LONG);
    slow.resolve();
    await waits.stop();
    expect([waits.of(url), other.of(url)]).toEqual([[], [expect.anything()]]);
  });

  test('of a batch that is stored again are not sent again', async () => {
    const owner = await anOwner();
    const { url } = await owner.newWebhook();
    const { idsAt } = aProcess(() => ok);
    const clicks = owner.clicks(40);
    await sink.store(clicks);
    await until(() => idsAt(url).length >= 40, LONG);
    const later = owner.clicks(3);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await sink.store([...clicks, ...later]);
    await until(() => idsAt(url).length > 42, LONG);
    expect(idsAt(url).toSorted()).toEqual(idsOf([...clicks, ...later]));
    const [webhook] = await webhooks.list(owner.accountId);
    const log = await webhooks.deliveries(webhook!.id, { state: undefined, before: undefined, limit: 100 });
    // The copies alone made no message.
    expect(log).toHaveLength(2);
  });

  test('wait while the receiver fails, and come in order with the same bodies when it recovers', async () => {
    const owner = await anOwner();
    const webhook = await owner.newWebhook();
    let answer = broken;
    const { of } = aProcess(() => answer);
    const [first, second] = [owner.clicks(10), owner.clicks(1_500)];
    await sink.store(first);
    await until(() => of(webhook.url).length === 1, LONG);
    await sink.store(second);
    // One message waits at most, and it is tried again after seconds.
    await until(() => of(webhook.url).length === 2, LONG);
    answer = ok;
    // The pauses grow, so the next attempt would be half a minute later.
    const soon =
      'UPDATE webhook_deliveries SET next_attempt_at = now() WHERE webhook_id = $1 AND attempts = 2 RETURNING 1';
    await until(async () => (await db.query(soon, [webhook.id])).length === 1, LONG);
    await until(() => of(webhook.url).length === 5, LONG);
    const all = of(webhook.url);
    expect(new Set(all.slice(0, 3).map(({ id, body }) => id + body)).size).toBe(1);
    expect(all.slice(2).map(({ clicks }) => clicks.length)).toEqual([10, 1_000, 500]);
    expect(
      all
        .slice(2)
        .flatMap(({ clicks }) => clicks)
        .toSorted(),
    ).toEqual(idsOf([...first, ...second]));
  });

  test('are sent once each by two processes, and their message again by the second if the first dies', async () => {
    const owner = await anOwner();
    const { url } = await owner.newWebhook();
    const [one, two] = [aProcess(() => ok), aProcess(() => ok)];
    const clicks = owner.clicks(4_200);
    await sink.store(clicks);
    const ids = () => [...one.idsAt(url), ...two.idsAt(url)];
    await until(() => ids().length >= 4_200, LONG);
    expect(ids().toSorted()).toEqual(idsOf(clicks));
    await Promise.all([one.stop(), two.stop()]);

    const last = owner.clicks(5);
    let end = () => {};
    const dying = aProcess(
      () =>
        new Promise((resolve) => {
          end = () => resolve(broken);
        }),
    );
    await sink.store(last);
    await until(() => dying.of(url).length === 1, LONG);
    // Its lease ends, as 30 s after a kill.
    await db.query(`UPDATE webhook_deliveries SET next_attempt_at = now() WHERE state = 'pending'`);
    const heir = aProcess(() => ok);
    await until(() => heir.of(url).length === 1, LONG);
    expect(heir.of(url)).toEqual(dying.of(url));
    end();
  });

  test('of one account take turns over its webhooks and delay no other account', async () => {
    const [busy, other] = [await anOwner(), await anOwner()];
    const many = await Promise.all(Array.from({ length: 10 }, () => busy.newWebhook()));
    const { url } = await other.newWebhook();
    await sink.store(busy.clicks(3_000));
    const hanging: (() => void)[] = [];
    const { of, messages } = aProcess(async (message) => {
      if (message.url !== url) await new Promise<void>((resolve) => hanging.push(resolve));
      return ok;
    });
    await until(() => hanging.length === 1, LONG);
    await sink.store(other.clicks(7));
    // The ten receivers of the busy account have not answered yet: one message of it is under way.
    await until(() => of(url).length === 1, LONG);
    expect(hanging).toHaveLength(1);
    const answering = setInterval(() => {
      for (const answer of hanging.splice(0)) answer();
    }, 5);
    await until(() => many.every((webhook) => of(webhook.url).length > 0), LONG);
    clearInterval(answering);
    const first = messages.filter((message) => message.url !== url).slice(0, 10);
    expect(new Set(first.map((message) => message.url)).size).toBe(10);
    for (const answer of hanging) answer();
    await db.query('DELETE FROM webhooks WHERE account_id = $1', [busy.accountId]);
  });

  test('during a suspension, or while the webhook is off, are not sent later', async () => {
    const owner = await anOwner();
    const { id, url, events } = await owner.newWebhook();
    const { idsAt } = aProcess(() => ok);
    const put = (enabled: boolean) =>
      webhooks.update(
        owner.accountId,
        id,
        (current) => changedWebhook(current, { url, events, enabled, keyId: null, secret: 'whsec_BB==' }, new Date()),
        noted,
      );
    await suspensions.suspend(owner.email, { reason: 'a test', at: new Date() }, noted);
    await sink.store(owner.clicks(4));
    await suspensions.resume(owner.email, noted);
    const first = owner.clicks(2, { at: Date.now() + 5 });
    await sink.store(first);
    await until(() => idsAt(url).length >= 2, LONG);
    await put(false);
    await sink.store(owner.clicks(4));
    await put(true);
    const second = owner.clicks(3, { at: Date.now() + 5 });
    await sink.store(second);
    await until(() => idsAt(url).length >= 5, LONG);
    expect(idsAt(url).toSorted()).toEqual(idsOf([...first, ...second]));
  });

  test('wait while the click store is away, without an attempt', async () => {
    const owner = await anOwner();
    const webhook = await owner.newWebhook();
    let isAway = true;
    const { idsAt } = aProcess(() => ok, {
      ...store,
      read: async (...range) => {
        if (isAway) throw unavailable('stored clicks cannot be read now');
        return store.read(...range);
      },
    });
    const clicks = owner.clicks(3);
    await sink.store(clicks);
    const log = () => webhooks.deliveries(webhook.id, { state: undefined, before: undefined, limit: 9 });
    // An attempt also moves the next one, but counts itself until the message is postponed.
    await until(async () => {
      const [message] = await log();
      return message?.attempts === 0 && Number(message.nextAttemptAt) > Date.now() + 20_000;
    }, LONG);
    isAway = false;
    await db.query('UPDATE webhook_deliveries SET next_attempt_at = now() WHERE webhook_id = $1', [webhook.id]);
    await until(() => idsAt(webhook.url).length === 3, LONG);
    expect(await log()).toMatchObject([{ attempts: 1 }]);
  });
});

test('a webhook that falls too far behind is switched off, and begins anew when it is switched on', async () => {
  const owner = await anOwner();
  const webhook = await owner.newWebhook();
  const { idsAt } = aProcess(() => ok, {
    ...store,
    hasMore: (accountId, from, than) => store.hasMore(accountId, from, than / (WEBHOOK_LIMITS.clicksBehind / 2_000)),
  });
  await sink.store(owner.clicks(2_001));
  const read = () => webhooks.find(owner.accountId, webhook.id);
  await until(async () => (await read())!.disabled !== null, LONG);
  expect(await read()).toMatchObject({ disabled: { reason: 'backlog' } });
  expect(idsAt(webhook.url)).toEqual([]);
  const { url, events } = webhook;
  const on = { url, events, enabled: true, keyId: null, secret: 'whsec_BB==' };
  await webhooks.update(owner.accountId, webhook.id, (current) => changedWebhook(current, on, new Date()), noted);
  const later = owner.clicks(2, { at: Date.now() + 5 });
  await sink.store(later);
  await until(() => idsAt(webhook.url).length === 2, LONG);
  expect(idsAt(webhook.url).toSorted()).toEqual(idsOf(later));
});
