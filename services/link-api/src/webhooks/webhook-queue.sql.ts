import { isCrowded, switchedOff, WEBHOOK_LIMITS, type Webhook, type WebhookRecord } from '@waypost/domain';
import type { ClickRange } from '@waypost/ports';
import {
  type Database,
  deleteInPieces,
  execute,
  inPieces,
  inTransaction,
  PIECE,
  prepared,
  rows,
  type Transaction,
} from '@waypost/postgres';
import type { ClaimedDelivery, DueClicks, EventMessage, MessageKind, WebhookQueue } from './webhooks.port.ts';
import { updateWebhook, WEBHOOK_RECORD, type WebhookRecordRow, webhookOf } from './webhooks.sql.ts';

const QUEUE_LINK_EVENTS = `
INSERT INTO webhook_deliveries (webhook_id, type, event_id, body, created_at, traceparent, began_at, next_attempt_at)
SELECT w.id, m.type, m.event_id, m.body, m.at, m.traceparent, $7::timestamptz, $7::timestamptz
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[])
  AS m (slug, type, event_id, body, at, traceparent)
JOIN links l ON l.slug = m.slug
CROSS JOIN LATERAL (
  SELECT * FROM webhooks WHERE account_id = l.owner_id AND scope = 'account'
  UNION ALL
  -- The erasure of an account has removed earlier messages about its links.
  SELECT * FROM webhooks
  WHERE scope = 'installation' AND (m.type = 'case.opened' OR EXISTS (SELECT FROM accounts WHERE id = l.owner_id))
) AS w
JOIN accounts a ON a.id = w.account_id AND a.suspended_at IS NULL AND (a.admin OR w.scope = 'account')
WHERE w.disabled_at IS NULL AND m.type = ANY(w.events) AND w.enabled_since <= m.at
ON CONFLICT (webhook_id, event_id) DO NOTHING
RETURNING 1`;

const eventsOf = (messages: readonly EventMessage[], now: Date) => [
  messages.map(({ slug }) => slug),
  messages.map(({ type }) => type),
  messages.map(({ eventId }) => eventId),
  messages.map(({ body }) => body),
  messages.map(({ at }) => at),
  messages.map(({ traceparent }) => traceparent ?? null),
  now,
];

/** Queues a message in the transaction of what it is about. */
export async function queueEvent(tx: Transaction, message: EventMessage): Promise<void> {
  await tx.query(QUEUE_LINK_EVENTS, eventsOf([message], message.at));
}

/** With ten webhooks and the longest URLs this is 1 MB, so that no account can make a statement that takes too long. */
const EVENTS_AT_ONCE = 50;

const WANTS_CLICKS = `disabled_at IS NULL AND 'link.clicked' = ANY(events)`;

const NOTE_CLICKS = `
UPDATE webhooks SET clicks_due_at = $2
WHERE ${WANTS_CLICKS}
  -- No wait is as long as an hour: the clock was set back.
  AND (clicks_due_at IS NULL OR clicks_due_at > $2::timestamptz + interval '1 hour')
  AND ($1::uuid[] IS NULL OR account_id = ANY($1))`;

const CLAIM_CLICKS = `
UPDATE webhooks SET clicks_due_at = $2 WHERE id = (
  SELECT w.id FROM webhooks w JOIN accounts a ON a.id = w.account_id AND a.suspended_at IS NULL
  WHERE w.clicks_due_at <= $1 AND ${WANTS_CLICKS} AND NOT EXISTS (
    SELECT FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.state = 'pending' AND d.type = 'link.clicked')
  ORDER BY w.clicks_due_at LIMIT 1 FOR UPDATE OF w SKIP LOCKED
) RETURNING id AS "webhookId", account_id AS "accountId", clicks_after_at AS at, clicks_after_id AS "clickId",
  clicks_since AS since,
  (SELECT count(*) FROM webhooks s WHERE s.account_id = webhooks.account_id AND ${WANTS_CLICKS}) AS sharers`;

/** A webhook that was switched off and on, or whose next message another process made, has another place. */
const IS_THERE = `id = $1 AND clicks_after_at = $2 AND clicks_after_id = $3 AND clicks_since = $4 AND disabled_at IS NULL`;
const placeOf = ({ webhookId, after, since }: DueClicks) => [webhookId, after.at, after.id, new Date(since)];

const QUEUE_CLICKS = `
WITH moved AS (
  UPDATE webhooks SET clicks_after_at = $5, clicks_after_id = $6, clicks_due_at = $7 WHERE ${IS_THERE} RETURNING id
)
INSERT INTO webhook_deliveries (webhook_id, type, clicks, created_at, began_at, next_attempt_at)
SELECT id, 'link.clicked', $8::jsonb, $9, $9, $9 FROM moved`;

const OF_KIND: Readonly<Record<MessageKind, string>> = {
  clicks: `state = 'pending' AND type = 'link.clicked'`,
  events: `state = 'pending' AND type <> 'link.clicked'`,
};

/** A webhook with many due messages gets no more attempts than another. Failing webhooks come last. */
const claimOf = (kind: MessageKind) => `
WITH RECURSIVE waiting AS (
  (SELECT webhook_id AS id FROM webhook_deliveries WHERE ${OF_KIND[kind]} ORDER BY webhook_id LIMIT 1)
  UNION ALL
  SELECT (SELECT webhook_id FROM webhook_deliveries d WHERE ${OF_KIND[kind]} AND d.webhook_id > waiting.id
          ORDER BY webhook_id LIMIT 1)
  FROM waiting WHERE id IS NOT NULL
), due AS (
  SELECT d.id, d.round, d.next_attempt_at, w.failing_since IS NOT NULL AS failing,
    coalesce(b.attempts, 0)
      + row_number() OVER (PARTITION BY w.account_id ORDER BY w.failing_since IS NOT NULL, d.round, d.next_attempt_at)
      AS of_account
  FROM waiting JOIN webhooks w USING (id) JOIN accounts a ON a.id = w.account_id AND a.suspended_at IS NULL
  LEFT JOIN unnest($7::uuid[], $8::integer[]) AS b (account_id, attempts) ON b.account_id = a.id
  CROSS JOIN LATERAL (
    SELECT id, next_attempt_at, row_number() OVER (ORDER BY next_attempt_at) AS round
    FROM (
      SELECT id, next_attempt_at FROM webhook_deliveries
      WHERE webhook_id = w.id AND ${OF_KIND[kind]} AND next_attempt_at <= $1
      ORDER BY webhook_id, next_attempt_at LIMIT CASE WHEN w.failing_since IS NULL THEN $4::integer ELSE 1 END
    ) AS first
  ) d
  WHERE w.disabled_at IS NULL AND w.id <> ALL($3::uuid[])
), fair AS (
  SELECT id, failing, row_number() OVER (PARTITION BY failing ORDER BY round, next_attempt_at) AS place
  FROM due WHERE of_account <= $9
), chosen AS (
  SELECT id FROM fair WHERE place <= CASE WHEN failing THEN $6::integer ELSE $5::integer END
  ORDER BY failing, place LIMIT $5
), locked AS (
  SELECT id FROM webhook_deliveries WHERE id IN (SELECT id FROM chosen) AND state = 'pending' AND next_attempt_at <= $1
  FOR UPDATE SKIP LOCKED
)
UPDATE webhook_deliveries d SET attempts = d.attempts + 1, next_attempt_at = $2
FROM locked, webhooks w
WHERE d.id = locked.id AND w.id = d.webhook_id
RETURNING d.id, d.webhook_id AS "webhookId", w.account_id AS "accountId", d.type, d.created_at AS "createdAt",
  d.body, d.clicks, d.traceparent, w.url, d.began_at AS "beganAt", d.attempts, w.failing_since IS NOT NULL AS failing,
  CASE WHEN w.old_secret_until > $1 THEN ARRAY[w.secret, w.old_secret] ELSE ARRAY[w.secret] END AS secrets`;
const CLAIM = { clicks: claimOf('clicks'), events: claimOf('events') };

type ClaimedRow = Omit<ClaimedDelivery, 'message' | 'traceparent'> & {
  readonly traceparent: string | null;
  readonly body: string | null;
  readonly clicks: ClickRange | null;
};

const RECORD = `
WITH recorded AS (
  UPDATE webhook_deliveries SET state = $2, next_attempt_at = $3, last_attempt_at = $4, last_status = $5,
    last_error = $6, last_answer = $7, expires_at = $8
  WHERE id = $1 AND state = 'pending' RETURNING webhook_id
)
SELECT ${WEBHOOK_RECORD} FROM webhooks WHERE id = (SELECT webhook_id FROM recorded)`;

/** The webhooks with messages, deleted ones included. */
const SOME_WEBHOOKS = `
WITH RECURSIVE page AS (
  (SELECT webhook_id AS id, 1 AS n FROM webhook_deliveries WHERE $1::uuid IS NULL OR webhook_id > $1
   ORDER BY webhook_id LIMIT 1)
  UNION ALL
  SELECT (SELECT webhook_id FROM webhook_deliveries d WHERE d.webhook_id > page.id ORDER BY webhook_id LIMIT 1), n + 1
  FROM page WHERE id IS NOT NULL AND n < $2
) SELECT id FROM page WHERE id IS NOT NULL ORDER BY id`;
const WEBHOOKS_AT_ONCE = 20;

/** Counts no more messages than are needed to see that they are too many. */
const PENDING = `
SELECT id, messages::integer, bytes::integer FROM unnest($1::uuid[]) AS page (id) CROSS JOIN LATERAL (
  SELECT count(*) AS messages, coalesce(sum(octet_length(body)), 0) AS bytes FROM (
    SELECT body FROM webhook_deliveries d WHERE d.webhook_id = page.id AND ${OF_KIND.events} LIMIT $2 + 1
  ) AS pending
) AS sums`;

const giveUp = (why: string, which: string) => `
UPDATE webhook_deliveries SET state = 'failed', next_attempt_at = NULL, last_error = '${why}', expires_at = $3
WHERE id IN (
  SELECT d.id FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id JOIN accounts a ON a.id = w.account_id
  WHERE d.webhook_id = ANY($1::uuid[]) AND d.state = 'pending' AND ${which} LIMIT ${PIECE}
) RETURNING 1`;

const GIVE_UP_OFF = giveUp('the webhook was disabled', 'w.disabled_at <= $2');

/** A suspended account gets no attempts, so only this statement gives up its old messages. */
const GIVE_UP_SUSPENDED = giveUp('the account is suspended', 'a.suspended_at IS NOT NULL AND d.began_at <= $2');

const FORGET_DELETED = `
DELETE FROM webhook_deliveries WHERE id IN (
  SELECT d.id FROM webhook_deliveries d
  WHERE d.webhook_id = ANY($1::uuid[]) AND NOT EXISTS (SELECT FROM webhooks w WHERE w.id = d.webhook_id) LIMIT ${PIECE}
) RETURNING 1`;

const KEEP_NEWEST = `
DELETE FROM webhook_deliveries WHERE id IN (
  SELECT id FROM (
    SELECT id, row_number() OVER (PARTITION BY webhook_id, type = 'link.clicked' ORDER BY created_at DESC, id DESC) AS n
    FROM webhook_deliveries WHERE webhook_id = ANY($1::uuid[]) AND state <> 'pending'
  ) AS numbered WHERE n > $2 LIMIT ${PIECE}
) RETURNING 1`;

const EXPIRED = { table: 'webhook_deliveries', key: 'id', condition: 'expires_at <= $1' };

/**
 * What reads deliveries is not prepared: a plan that was made for an empty table would scan the whole table after it
 * has filled.
 */
export function postgresWebhookQueue(db: Database): WebhookQueue {
  return {
    queueLinkEvents: async (messages, now) => {
      let count = 0;
      for (let i = 0; i < messages.length; i += EVENTS_AT_ONCE) {
        const some = eventsOf(messages.slice(i, i + EVENTS_AT_ONCE), now);
        const created = await prepared(db, 'queue-webhooks', QUEUE_LINK_EVENTS, some);
        count += created.length;
      }
      return count;
    },
    ...clickMessages(db),
    claim: async ({ kind, now, leaseUntil, busy, attempts, perWebhook, perAccount, limit, failing }) => {
      const accounts = [[...attempts.keys()], [...attempts.values()]];
      const parameters = [now, leaseUntil, busy, perWebhook, limit, failing, ...accounts, perAccount];
      const claimed = await rows<ClaimedRow>(db, CLAIM[kind], parameters);
      return claimed.map(({ body, clicks, traceparent, ...delivery }) => ({
        ...delivery,
        traceparent: traceparent ?? undefined,
        message: body === null ? { clicks: clicks! } : { body },
      }));
    },
    postpone: (id, until) => {
      const sql = `UPDATE webhook_deliveries SET attempts = attempts - 1, next_attempt_at = $2
                   WHERE id = $1 AND state = 'pending'`;
      return execute(db, sql, [id, until]);
    },
    drop: (id) => execute(db, 'DELETE FROM webhook_deliveries WHERE id = $1', [id]),
    record: (id, { state, nextAttemptAt, at, status, error, answer, expiresAt }, change) =>
      inTransaction(db, async (tx) => {
        const parameters = [id, state, nextAttemptAt, at, status, error, answer, expiresAt];
        const [row] = await rows<WebhookRecordRow>(tx, RECORD, parameters);
        // Most attempts change nothing of the webhook. Without its lock, attempts do not wait for each other.
        if (row === undefined || change(webhookOf(row)) === undefined) return undefined;
        return updateWebhook(tx, row.id, change);
      }),
    sweep: async (after, now) => {
      const { logMs, logMessages, triedMs } = WEBHOOK_LIMITS;
      const page = await rows<{ id: string }>(db, SOME_WEBHOOKS, [after ?? null, WEBHOOKS_AT_ONCE]);
      const ids = page.map(({ id }) => id);
      const off = await switchOffCrowded(db, ids, now);
      const expiresAt = new Date(now.getTime() + logMs);
      await inPieces(db, GIVE_UP_OFF, [ids, now, expiresAt]);
      await inPieces(db, GIVE_UP_SUSPENDED, [ids, new Date(now.getTime() - triedMs), expiresAt]);
      await inPieces(db, FORGET_DELETED, [ids]);
      await inPieces(db, KEEP_NEWEST, [ids, logMessages]);
      return { off, next: ids.length < WEBHOOKS_AT_ONCE ? undefined : ids.at(-1) };
    },
    forget: (now) => deleteInPieces(db, EXPIRED, [now]),
    backlog: async () => {
      const [row] = await rows<{ pending: string; age: string | null }>(
        db,
        `SELECT count(*) AS pending, extract(epoch FROM now() - min(began_at)) * 1000 AS age
         FROM webhook_deliveries WHERE state = 'pending'`,
        [],
      );
      return { pending: Number(row?.pending ?? 0), oldestMs: Math.max(0, Number(row?.age ?? 0)) };
    },
  };
}

interface DueRow extends Pick<DueClicks, 'webhookId' | 'accountId'> {
  readonly at: string;
  readonly clickId: string;
  readonly since: Date;
  readonly sharers: string;
}

function clickMessages(
  db: Database,
): Pick<WebhookQueue, 'wantsClicks' | 'noteClicks' | 'claimClicks' | 'queueClicks' | 'noClicks' | 'tooFarBehind'> {
  return {
    wantsClicks: async () => (await rows(db, `SELECT FROM webhooks WHERE ${WANTS_CLICKS} LIMIT 1`, [])).length > 0,
    noteClicks: (accounts, now) => execute(db, NOTE_CLICKS, [accounts ?? null, now]),
    claimClicks: async (now, leaseUntil) => {
      const [row] = await rows<DueRow>(db, CLAIM_CLICKS, [now, leaseUntil]);
      if (row === undefined) return undefined;
      const { at, clickId, since, sharers, ...due } = row;
      return { ...due, after: { at: Number(at), id: clickId }, since: since.getTime(), sharers: Number(sharers) };
    },
    queueClicks: (due, to, now, nextAt) => {
      const range: ClickRange = { after: due.after, to, since: due.since };
      return execute(db, QUEUE_CLICKS, [...placeOf(due), to.at, to.id, nextAt, JSON.stringify(range), now]);
    },
    noClicks: ({ webhookId }, leaseUntil) => {
      const sql = 'UPDATE webhooks SET clicks_due_at = NULL WHERE id = $1 AND clicks_due_at = $2';
      return execute(db, sql, [webhookId, leaseUntil]);
    },
    tooFarBehind: (due, now) =>
      switchOff(
        db,
        due.webhookId,
        now,
        ({ clicksAfterAt: at, clicksAfterId: id, clicksSince }) =>
          at === due.after.at && id === due.after.id && clicksSince.getTime() === due.since,
      ),
  };
}

/** Resolves to the webhook if it was switched off. `isSame` is false if the webhook has changed meanwhile. */
async function switchOff(
  db: Database,
  id: string,
  now: Date,
  isSame: (webhook: WebhookRecord) => boolean = () => true,
): Promise<Webhook | undefined> {
  const update = await inTransaction(db, (tx) =>
    updateWebhook(tx, id, (webhook) =>
      webhook.disabled === null && isSame(webhook) ? switchedOff(webhook, 'backlog', now) : undefined,
    ),
  );
  return update?.to;
}

async function switchOffCrowded(db: Database, ids: readonly string[], now: Date): Promise<readonly Webhook[]> {
  const pending = await rows<{ id: string; messages: number; bytes: number }>(db, PENDING, [
    ids,
    WEBHOOK_LIMITS.backlogMessages,
  ]);
  const off: (Webhook | undefined)[] = [];
  for (const { id } of pending.filter(isCrowded)) off.push(await switchOff(db, id, now));
  return off.filter((webhook) => webhook !== undefined);
}
