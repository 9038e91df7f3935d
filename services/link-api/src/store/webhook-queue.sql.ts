import { inPieces, PIECE, prepared, rows } from '@waypost/postgres';
import type { DataSource } from 'typeorm';
import { aroundClicks, WEBHOOK_LIMITS } from '../webhooks/webhook.ts';
import type { ClaimedDelivery, ClickReceiver, SwitchedOff, WebhookQueue } from '../webhooks/webhooks.port.ts';

const QUEUE_LINK_EVENTS = `
INSERT INTO webhook_deliveries (webhook_id, type, event_id, body, created_at, began_at, next_attempt_at)
SELECT w.id, m.type, m.event_id, m.body, m.at, $6::timestamptz, $6::timestamptz
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[]) AS m (slug, type, event_id, body, at)
JOIN links l ON l.slug = m.slug
JOIN accounts a ON a.id = l.owner_id AND a.suspended_at IS NULL
JOIN webhooks w ON w.account_id = a.id AND w.disabled_at IS NULL AND m.type = ANY(w.events) AND w.enabled_since <= m.at
ON CONFLICT (webhook_id, event_id) DO NOTHING
RETURNING 1`;

const CLICK_RECEIVERS = `
SELECT w.id AS "webhookId", l.slug, w.clicks_since AS since
FROM webhooks w JOIN accounts a ON a.id = w.account_id JOIN links l ON l.owner_id = a.id
WHERE w.disabled_at IS NULL AND a.suspended_at IS NULL AND 'link.clicked' = ANY(w.events) AND l.slug = ANY($1::text[])`;

const KEEP_CLICKS = `
INSERT INTO webhook_clicks (webhook_id, count, clicks)
SELECT * FROM unnest($1::uuid[], $2::integer[], $3::text[])`;

/** A webhook is due when its pause is over or its clicks fill a message. Others wait for the next. */
const BUNDLE_CLICKS = `
WITH due AS (
  SELECT w.id FROM webhooks w
  WHERE w.id IN (SELECT webhook_id FROM webhook_clicks) AND w.disabled_at IS NULL AND (w.clicks_due_at <= $1
    OR (SELECT sum(count) FROM webhook_clicks c WHERE c.webhook_id = w.id) >= $2)
  FOR UPDATE SKIP LOCKED
), chosen AS (
  SELECT counted.id, due.id AS webhook_id FROM due CROSS JOIN LATERAL (
    SELECT c.id, sum(c.count) OVER (ORDER BY c.id) AS total FROM webhook_clicks c WHERE c.webhook_id = due.id
    ORDER BY c.id LIMIT $2
  ) AS counted WHERE total <= $2
), taken AS (
  DELETE FROM webhook_clicks c USING chosen WHERE c.id = chosen.id RETURNING c.id, c.webhook_id, c.clicks
), paused AS (
  UPDATE webhooks SET clicks_due_at = $3 WHERE id IN (SELECT id FROM due)
)
INSERT INTO webhook_deliveries (webhook_id, type, body, created_at, began_at, next_attempt_at)
SELECT webhook_id, 'link.clicked', $4 || string_agg(clicks, ',' ORDER BY id) || $5, $1, $1, $1
FROM taken GROUP BY webhook_id
RETURNING 1`;

/** A webhook with many due messages gets no more attempts than another. Failing webhooks come last. */
const CLAIM = `
WITH RECURSIVE waiting AS (
  (SELECT webhook_id AS id FROM webhook_deliveries WHERE state = 'pending' ORDER BY webhook_id LIMIT 1)
  UNION ALL
  SELECT (SELECT webhook_id FROM webhook_deliveries d WHERE d.state = 'pending' AND d.webhook_id > waiting.id
          ORDER BY webhook_id LIMIT 1)
  FROM waiting WHERE id IS NOT NULL
), due AS (
  SELECT d.id, d.webhook_id, w.failing_since IS NOT NULL AS failing,
    row_number() OVER (PARTITION BY w.failing_since IS NOT NULL ORDER BY d.turn, d.next_attempt_at) AS place
  FROM waiting JOIN webhooks w USING (id) JOIN accounts a ON a.id = w.account_id AND a.suspended_at IS NULL
  CROSS JOIN LATERAL (
    SELECT id, webhook_id, next_attempt_at, row_number() OVER (ORDER BY next_attempt_at) AS turn
    FROM (
      SELECT id, webhook_id, next_attempt_at FROM webhook_deliveries
      WHERE webhook_id = w.id AND state = 'pending' AND next_attempt_at <= $1
      ORDER BY webhook_id, next_attempt_at LIMIT CASE WHEN w.failing_since IS NULL THEN $4::integer ELSE 1 END
    ) AS first
  ) d
  WHERE w.disabled_at IS NULL AND w.id <> ALL($3::uuid[])
), chosen AS (
  SELECT id FROM due WHERE place <= CASE WHEN failing THEN $6::integer ELSE $5::integer END
  ORDER BY failing, place LIMIT $5
), locked AS (
  SELECT id FROM webhook_deliveries WHERE id IN (SELECT id FROM chosen) AND state = 'pending' AND next_attempt_at <= $1
  FOR UPDATE SKIP LOCKED
)
UPDATE webhook_deliveries d SET attempts = d.attempts + 1, next_attempt_at = $2
FROM locked, webhooks w
WHERE d.id = locked.id AND w.id = d.webhook_id
RETURNING d.id, d.webhook_id AS "webhookId", w.account_id AS "accountId", d.type, d.body, w.url,
  d.began_at AS "beganAt", d.attempts, w.failing_since IS NOT NULL AS failing,
  CASE WHEN w.old_secret_until > $1 THEN ARRAY[w.secret, w.old_secret] ELSE ARRAY[w.secret] END AS secrets`;

const RECORD = `
WITH recorded AS (
  UPDATE webhook_deliveries SET state = $2, next_attempt_at = $3, last_attempt_at = $4, last_status = $5,
    last_error = $6, last_answer = $7, expires_at = $8
  WHERE id = $1 AND state = 'pending' RETURNING webhook_id
)
UPDATE webhooks w SET failing_since = CASE WHEN $2 = 'delivered' THEN NULL ELSE $4::timestamptz END
FROM recorded WHERE w.id = recorded.webhook_id AND w.url = $9 AND w.enabled_since <= $10
  AND (w.failing_since IS NULL) = ($2 <> 'delivered')`;

const SWITCH_OFF = `
UPDATE webhooks SET disabled_reason = $4, disabled_at = $5
WHERE id = $1 AND url = $2 AND enabled_since <= $3 AND disabled_at IS NULL
  AND ($6::timestamptz IS NULL OR failing_since <= $6) RETURNING id`;

const SWITCH_OFF_CROWDED = `
UPDATE webhooks w SET disabled_reason = 'backlog', disabled_at = $1
FROM (SELECT webhook_id FROM webhook_deliveries WHERE state = 'pending' GROUP BY webhook_id
      HAVING count(*) > $2 OR sum(octet_length(body)) > $3) crowded
WHERE w.id = crowded.webhook_id AND w.disabled_at IS NULL
RETURNING w.id AS "webhookId", w.account_id AS "accountId", w.disabled_reason AS reason`;

const giveUp = (why: string, which: string) => `
UPDATE webhook_deliveries SET state = 'failed', next_attempt_at = NULL, last_error = '${why}',
  expires_at = CASE type WHEN 'link.clicked' THEN $3::timestamptz ELSE $2 END
WHERE id IN (
  SELECT d.id FROM webhook_deliveries d
  LEFT JOIN webhooks w ON w.id = d.webhook_id LEFT JOIN accounts a ON a.id = w.account_id
  WHERE d.state = 'pending' AND (${which}) LIMIT ${PIECE}
) RETURNING 1`;

const GIVE_UP_OFF = giveUp('the webhook was switched off', 'w.id IS NULL OR w.disabled_at <= $1');

/** A suspended account gets no attempts, so only this statement gives up its old messages. */
const GIVE_UP_SUSPENDED = giveUp('the account is suspended', 'a.suspended_at IS NOT NULL AND d.began_at <= $1');

const DROP_CLICKS = `
DELETE FROM webhook_clicks WHERE id IN (
  SELECT c.id FROM webhook_clicks c LEFT JOIN webhooks w ON w.id = c.webhook_id
  WHERE w.id IS NULL OR w.disabled_at <= $1 LIMIT ${PIECE}
) RETURNING 1`;

const FORGET = `
DELETE FROM webhook_deliveries WHERE id IN (
  SELECT id FROM webhook_deliveries WHERE expires_at <= $1 LIMIT ${PIECE}
) RETURNING 1`;

/** Not prepared: a plan that was made for an empty table would scan the whole table after it has filled. */
export function postgresWebhookQueue(db: DataSource): WebhookQueue {
  return {
    queueLinkEvents: async (messages, now) => {
      const queued = await prepared(db, 'queue-webhooks', QUEUE_LINK_EVENTS, [
        messages.map(({ slug }) => slug),
        messages.map(({ type }) => type),
        messages.map(({ eventId }) => eventId),
        messages.map(({ body }) => body),
        messages.map(({ at }) => at),
        now,
      ]);
      return queued.length;
    },
    clicksWantedSince: async () => {
      const [row] = await rows<{ since: Date | null }>(
        db,
        `SELECT min(clicks_since) AS since FROM webhooks WHERE disabled_at IS NULL AND 'link.clicked' = ANY(events)`,
        [],
      );
      return row?.since ?? undefined;
    },
    clickReceivers: (slugs) => prepared<ClickReceiver>(db, 'click-receivers', CLICK_RECEIVERS, [slugs]),
    keepClicks: async (clicks) => {
      await prepared(db, 'keep-clicks', KEEP_CLICKS, [
        clicks.map(({ webhookId }) => webhookId),
        clicks.map(({ count }) => count),
        clicks.map((waiting) => waiting.clicks),
      ]);
    },
    bundleClicks: async (now) => {
      const { clicksPerMessage, clicksEveryMs } = WEBHOOK_LIMITS;
      const dueAt = new Date(now.getTime() + clicksEveryMs);
      const bundles = await rows(db, BUNDLE_CLICKS, [now, clicksPerMessage, dueAt, ...aroundClicks(now)]);
      return bundles.length;
    },
    claim: ({ now, leaseUntil, busy, perWebhook, limit, failing }) =>
      rows<ClaimedDelivery>(db, CLAIM, [now, leaseUntil, busy, perWebhook, limit, failing]),
    record: async ({ id, url, startedAt }, { state, nextAttemptAt, at, status, error, answer, expiresAt }) => {
      await rows(db, RECORD, [id, state, nextAttemptAt, at, status, error, answer, expiresAt, url, startedAt]);
    },
    switchOff: async ({ webhookId, url, startedAt }, reason, at, failingBefore) => {
      const off = await rows(db, SWITCH_OFF, [webhookId, url, startedAt, reason, at, failingBefore ?? null]);
      return off.length > 0;
    },
    sweep: async (now) => {
      const { backlogMessages, backlogBytes, logMs, clicksLogMs, triedMs } = WEBHOOK_LIMITS;
      const off = await rows<SwitchedOff>(db, SWITCH_OFF_CROWDED, [now, backlogMessages, backlogBytes]);
      const expiry = [logMs, clicksLogMs].map((ms) => new Date(now.getTime() + ms));
      await inPieces(db, GIVE_UP_OFF, [now, ...expiry]);
      await inPieces(db, GIVE_UP_SUSPENDED, [new Date(now.getTime() - triedMs), ...expiry]);
      await inPieces(db, DROP_CLICKS, [now]);
      return off;
    },
    forget: (now) => inPieces(db, FORGET, [now]),
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
