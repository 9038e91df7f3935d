import { describe, expect, test } from '@jest/globals';
import {
  attempted,
  changedWebhook,
  rotatedWebhook,
  switchedOff,
  WEBHOOK_LIMITS,
  type Webhook,
  type WebhookChange,
  type WebhookOutcome,
  type WebhookRecord,
} from '@waypost/domain';
import { asking, atNoon, LATER, NOON, newAccount, newSlug, noted, openStores } from '../../test/stores.ts';
import { postgresWebhookQueue } from './webhook-queue.sql.ts';

const CLAIM = {
  kind: 'events',
  busy: [],
  attempts: new Map(),
  perWebhook: 10,
  perAccount: 100,
  limit: 100,
  failing: 50,
  now: NOON,
  leaseUntil: atNoon(30_000),
} as const;
const URL_OF_HOOK = 'https://hooks.example.org/';
const GIVEN = { url: URL_OF_HOOK, keyId: null, events: ['link.created'], secret: 'whsec_AAAA', at: NOON } as const;

const ATTEMPT: WebhookOutcome = { url: URL_OF_HOOK, startedAt: NOON, endedAt: NOON, result: 'failed' };
const ANSWERED = { at: NOON, nextAttemptAt: null, status: 0, error: null, answer: '', expiresAt: LATER };

const { db, accounts, links, webhooks, webhookQueue: queue } = await openStores();

const changed = async (accountId: string, id: string, change: (current: WebhookRecord) => WebhookRecord) =>
  (await webhooks.update(accountId, id, change, noted))?.to;

async function anAccount() {
  const { id: accountId } = await newAccount(accounts);
  const slug = newSlug();
  await links.create(asking(accountId, { slug }), NOON);
  return {
    accountId,
    slug,
    newWebhook: (change: Partial<Parameters<typeof webhooks.create>[0]> = {}) =>
      webhooks.create({ accountId, scope: 'account', ...GIVEN, ...change }, noted),
    put: (id: string, { at = NOON, ...change }: Partial<WebhookChange> & { secret?: string; at?: Date }) => {
      const to = { ...GIVEN, enabled: true, ...change };
      return changed(accountId, id, (current) => changedWebhook(current, to, at));
    },
    rotate: (id: string, secret: string, at: Date) =>
      changed(accountId, id, (current) => rotatedWebhook(current, secret, at)),
    created: (eventId: string, at = NOON) =>
      queue.queueLinkEvents([{ type: 'link.created', slug, eventId, body: '{}', at, traceparent: undefined }], at),
    logOf: (id: string) => webhooks.deliveries(id, { state: undefined, before: undefined, limit: 100 }),
    suspend: (at: Date | null) => db.query('UPDATE accounts SET suspended_at = $2 WHERE id = $1', [accountId, at]),
  };
}

describe('an account', () => {
  test('has at most ten webhooks, even if it creates thirty at once', async () => {
    const { newWebhook, accountId } = await anAccount();
    const results = await Promise.allSettled(Array.from({ length: 30 }, () => newWebhook()));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(WEBHOOK_LIMITS.perAccount);
    for (const refused of results.filter((each) => each.status === 'rejected'))
      expect(refused.reason).toMatchObject({ code: 'too_many_webhooks' });
    expect(await webhooks.list(accountId)).toHaveLength(WEBHOOK_LIMITS.perAccount);
  });
});

describe('an event', () => {
  test('is queued once for each webhook that wants it, even if it is repeated', async () => {
    const [one, two] = [await anAccount(), await anAccount()];
    const [a, b] = [await one.newWebhook(), await one.newWebhook()];
    const [other, late, off] = [
      await one.newWebhook({ events: ['link.revoked'] }),
      await one.newWebhook({ at: atNoon(1) }),
      await one.newWebhook(),
    ];
    await one.put(off.id, { enabled: false });
    const stranger = await two.newWebhook();
    expect(await one.created('e1')).toBe(2);
    expect(await one.created('e1')).toBe(0);
    for (const { id } of [a, b]) expect(await one.logOf(id)).toHaveLength(1);
    for (const { id } of [other, late, off, stranger]) expect(await one.logOf(id)).toEqual([]);
  });

  test('is claimed by one process, with the two newest secrets while both sign', async () => {
    const { newWebhook, created, rotate } = await anAccount();
    const webhook = await newWebhook();
    const rotatedAt = atNoon(1_000 - WEBHOOK_LIMITS.oldSecretMs);
    for (const secret of ['whsec_BBBB', 'whsec_CCCC']) await rotate(webhook.id, secret, rotatedAt);
    for (let i = 0; i < 10; i++) await created(`c${i}`);
    const own = (claimed: readonly { webhookId: string }[]) =>
      claimed.filter(({ webhookId }) => webhookId === webhook.id);
    const both = await Promise.all([queue.claim(CLAIM), postgresWebhookQueue(db).claim(CLAIM)]);
    expect(own(both.flat())).toHaveLength(10);
    expect(own(both.flat())[0]).toMatchObject({ secrets: ['whsec_CCCC', 'whsec_BBBB'], url: webhook.url, attempts: 1 });
    const later = await queue.claim({ ...CLAIM, now: atNoon(60_000), leaseUntil: atNoon(90_000) });
    expect(own(later)[0]).toMatchObject({ secrets: ['whsec_CCCC'], attempts: 2 });
    expect(
      own(await queue.claim({ ...CLAIM, now: atNoon(200_000), leaseUntil: atNoon(300_000), busy: [webhook.id] })),
    ).toEqual([]);
  });

  test('is given up if its webhook is switched off, and forgotten if it is deleted', async () => {
    const { newWebhook, created, accountId, logOf } = await anAccount();
    const [deleted, off] = [await newWebhook(), await newWebhook()];
    await created('d1');
    await webhooks.delete(accountId, deleted.id, noted);
    await changed(accountId, off.id, (current) => switchedOff(current, 'gone', NOON));
    expect((await queue.claim(CLAIM)).filter(({ accountId: id }) => id === accountId)).toEqual([]);
    await sweepAll(atNoon(1));
    expect(await logOf(deleted.id)).toEqual([]);
    expect(await logOf(off.id)).toMatchObject([{ state: 'failed' }]);
    await queue.forget(atNoon(WEBHOOK_LIMITS.logMs + 2));
    expect(await logOf(off.id)).toEqual([]);
  });
});

/** Sweeps all webhooks, as the job does in turns. */
async function sweepAll(now: Date) {
  const off: Webhook[] = [];
  for (let after: string | undefined; ; ) {
    const swept = await queue.sweep(after, now);
    off.push(...swept.off);
    if (swept.next === undefined) return off;
    after = swept.next;
  }
}

test('the log has a bound, whatever is sent and however often the webhook is switched on again', async () => {
  const { newWebhook, put } = await anAccount();
  const { id } = await newWebhook();
  const most = WEBHOOK_LIMITS.logMessages;
  const fill = (kind: string, count: number, more: string) =>
    db.query(
      `INSERT INTO webhook_deliveries
         (webhook_id, type, body, clicks, created_at, began_at, next_attempt_at, state, expires_at)
       SELECT $1, $2, ${more}, $3::timestamptz + n * interval '1 second', $3, NULL, 'delivered', $4
       FROM generate_series(1, $5) n`,
      [id, kind, NOON, LATER, count],
    );
  await fill('link.created', most + 700, "'{}', NULL");
  await fill('link.clicked', most + 300, "NULL, '{}'");
  for (let round = 0; round < 2; round++) {
    await db.query(
      `INSERT INTO webhook_deliveries (webhook_id, type, body, created_at, began_at, next_attempt_at)
       SELECT $1, 'link.created', '{}', $2, $2, $2 FROM generate_series(1, $3)`,
      [id, atNoon(86_400_000), WEBHOOK_LIMITS.backlogMessages + 1],
    );
    expect(await sweepAll(atNoon(2))).toMatchObject([{ id, disabled: { reason: 'backlog' } }]);
    await put(id, { at: atNoon(3) });
  }
  const counts = await db.query(
    `SELECT type = 'link.clicked' AS clicks, count(*)::int AS n FROM webhook_deliveries WHERE webhook_id = $1 GROUP BY 1 ORDER BY 1`,
    [id],
  );
  expect(counts).toEqual([
    { clicks: false, n: most },
    { clicks: true, n: most },
  ]);
  const [newest] = await webhooks.deliveries(id, { state: 'delivered', before: undefined, limit: 1 });
  expect(newest).toMatchObject({ type: 'link.clicked', createdAt: atNoon((most + 300) * 1_000) });
});

test('a new host gets a new secret at once, and another path keeps both', async () => {
  const { newWebhook, put, created, rotate } = await anAccount();
  const { id } = await newWebhook();
  await rotate(id, 'whsec_BBBB', NOON);
  const secrets = async () =>
    (await queue.claim({ ...CLAIM, leaseUntil: NOON })).find(({ webhookId }) => webhookId === id)!.secrets;
  await created('s1');
  await put(id, { url: `${URL_OF_HOOK}other`, secret: 'whsec_CCCC' });
  expect(await secrets()).toEqual(['whsec_BBBB', 'whsec_AAAA']);
  await put(id, { url: 'https://hooks.example.org:8443/', secret: 'whsec_DDDD' });
  expect(await secrets()).toEqual(['whsec_DDDD']);
});

test('two attempts that are answered 410 at once switch the webhook off once', async () => {
  const { newWebhook, created, logOf } = await anAccount();
  const { id, url } = await newWebhook();
  for (const event of ['g1', 'g2']) await created(event);
  const gone = { ...ATTEMPT, url, result: 'gone' } as const;
  const updates = await Promise.all(
    (await logOf(id)).map((delivery) =>
      queue.record(delivery.id, { ...ANSWERED, state: 'failed' }, (webhook) => attempted(webhook, gone)),
    ),
  );
  expect(updates.filter((update) => update?.to.disabled?.reason === 'gone')).toHaveLength(1);
});

test('attempts before a webhook got its URL or was switched on do not count as failures', async () => {
  const account = await anAccount();
  const { created, logOf, accountId } = account;
  const { id: webhookId, url } = await account.newWebhook();
  const put = async (change: { url: string; enabled: boolean }, ms: number) =>
    (await account.put(webhookId, { at: atNoon(ms), ...change }))?.failingSince;
  for (let i = 0; i < 5; i++) await created(`f${i}`);
  const ids = (await logOf(webhookId)).map(({ id }) => id);
  /** Records an attempt that ended at `ms`. Resolves to the time since which the webhook fails. */
  const failingAfter = async (ms: number, startedAt: Date, at: string, outcome: 'delivered' | 'failed' = 'failed') => {
    const attempt = { url: at, startedAt, endedAt: atNoon(ms), result: outcome };
    await queue.record(ids.pop()!, { ...ANSWERED, state: outcome }, (webhook) => attempted(webhook, attempt));
    return (await webhooks.find(accountId, webhookId))?.failingSince;
  };
  const moved = { url: 'https://new.example.org/', enabled: true };
  expect(await failingAfter(1, NOON, url)).toEqual(atNoon(1));
  expect(await put(moved, 2)).toBeNull();
  expect(await failingAfter(3, NOON, url)).toBeNull();
  expect(await failingAfter(4, NOON, moved.url)).toEqual(atNoon(4));
  expect(await failingAfter(5, NOON, url, 'delivered')).toEqual(atNoon(4));
  expect(await put(moved, 6)).toEqual(atNoon(4));
  await put({ ...moved, enabled: false }, 7);
  expect(await put(moved, 8)).toBeNull();
  expect(await failingAfter(9, NOON, moved.url)).toBeNull();
});

test('a delivery can be replayed with its id, but not while pending or by another webhook', async () => {
  const { newWebhook, created, logOf } = await anAccount();
  const [one, two] = [await newWebhook(), await newWebhook()];
  await created('r1');
  const [{ id } = { id: '' }] = await logOf(one.id);
  expect(await webhooks.replay(one.id, id, NOON)).toBeUndefined();
  await queue.record(id, { ...ANSWERED, state: 'failed', expiresAt: atNoon(9) }, () => undefined);
  expect(await webhooks.replay(two.id, id, NOON)).toBeUndefined();
  expect(await webhooks.replay(one.id, id, atNoon(5))).toMatchObject({ id, state: 'pending', attempts: 0 });
  await queue.forget(atNoon(10));
  expect(await webhooks.delivery(one.id, id)).toMatchObject({ nextAttemptAt: atNoon(5) });
});

test('the log can be read page by page and by state', async () => {
  const { newWebhook, created, logOf } = await anAccount();
  const { id } = await newWebhook();
  for (let i = 0; i < 7; i++) await created(`p${i}`, atNoon(i >> 1));
  const all = (await logOf(id)).map((delivery) => delivery.id);
  const seen: string[] = [];
  for (let before: string | undefined; ; before = seen.at(-1)) {
    const page = await webhooks.deliveries(id, { state: undefined, before, limit: 2 });
    if (page.length === 0) break;
    seen.push(...page.map((delivery) => delivery.id));
  }
  expect(seen).toEqual(all);
  expect(seen).toHaveLength(7);
  await queue.record(all[3]!, { ...ANSWERED, state: 'delivered' }, () => undefined);
  expect(await webhooks.deliveries(id, { state: 'delivered', before: undefined, limit: 9 })).toMatchObject([
    { id: all[3] },
  ]);
});

test('a webhook with too many waiting messages is switched off', async () => {
  const { newWebhook, accountId } = await anAccount();
  const [crowded, large, well] = [await newWebhook(), await newWebhook(), await newWebhook()];
  const fill = (id: string, count: number, bytes: number) =>
    db.query(
      `INSERT INTO webhook_deliveries (webhook_id, type, body, created_at, began_at, next_attempt_at)
       SELECT $1, 'link.created', repeat('x', $3), $4, $4, $4 FROM generate_series(1, $2)`,
      [id, count, bytes, NOON],
    );
  // Each statement has a time limit, so ten of them insert the rows.
  for (let i = 0; i < 10; i += 1) await fill(crowded.id, WEBHOOK_LIMITS.backlogMessages / 10, 1);
  await fill(crowded.id, 1, 1);
  for (let i = 0; i < 4; i += 1) await fill(large.id, 5, 1024 * 1024);
  await fill(well.id, 1_000, 10_000);
  const off = await sweepAll(atNoon(1));
  expect(off).toHaveLength(2);
  expect(off).toEqual(
    expect.arrayContaining(
      [crowded, large].map(({ id }) =>
        expect.objectContaining({ id, accountId, disabled: { reason: 'backlog', at: atNoon(1) } }),
      ),
    ),
  );
  expect(await webhooks.find(accountId, well.id)).toMatchObject({ disabled: null });
  expect(await queue.backlog()).toMatchObject({ pending: expect.any(Number) });
});

test('a suspended account gets no messages about events during the suspension, not even later', async () => {
  const { newWebhook, created, logOf, suspend } = await anAccount();
  const { id } = await newWebhook();
  await suspend(NOON);
  expect(await created('one')).toBe(0);
  await suspend(null);
  expect(await created('two')).toBe(1);
  expect(await logOf(id)).toHaveLength(1);
});

test('messages wait for the end of a suspension for at most a day', async () => {
  const { newWebhook, created, logOf, suspend } = await anAccount();
  const { id } = await newWebhook();
  const claimed = async () => (await queue.claim(CLAIM)).filter(({ webhookId }) => webhookId === id);
  await created('one');
  await suspend(NOON);
  expect(await claimed()).toEqual([]);
  await suspend(null);
  expect(await claimed()).toHaveLength(1);
  await suspend(NOON);
  await sweepAll(atNoon(WEBHOOK_LIMITS.triedMs - 1));
  expect(await logOf(id)).toMatchObject([{ state: 'pending' }]);
  await sweepAll(atNoon(WEBHOOK_LIMITS.triedMs));
  expect(await logOf(id)).toMatchObject([{ state: 'failed', lastError: 'the account is suspended' }]);
});

test('clicks are looked for again after a clock that was a year ahead is set back', async () => {
  const { id: accountId } = await newAccount(accounts);
  const { id } = await webhooks.create({ ...GIVEN, accountId, scope: 'account', events: ['link.clicked'] }, noted);
  const ahead = 365 * 86_400_000;
  expect(await queue.claimClicks(atNoon(ahead), atNoon(ahead + 30_000))).toMatchObject({ webhookId: id });
  await queue.noteClicks([accountId], LATER);
  expect(await queue.claimClicks(LATER, atNoon(90_000))).toMatchObject({ webhookId: id });
});
