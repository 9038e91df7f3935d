/**
 * What a restore must not bring back. The running installation writes it as CSV, and a restore applies it. What was
 * deleted is read from the audit log, which is kept for ever.
 */
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { ERASED_DESTINATION, SLUG } from '@waypost/domain';
import type { Lines, Revised, Revision } from '@waypost/ports';
import { type Client, copyFrom, copyTo } from '@waypost/postgres';

const COLUMNS = 'kind, id, state, at, threat_type, reason';

const REVOKED = `
SELECT 'link' AS kind, slug AS id, status AS state, coalesce(revoked_at, updated_at) AS at, threat_type,
  take_down_reason AS reason FROM links
UNION ALL
SELECT 'account', id::text, 'suspended', suspended_at, NULL, suspension_reason FROM accounts WHERE suspended_at IS NOT NULL
UNION ALL
SELECT split_part(action, '.', 1), subject, split_part(action, '.', 2), at, NULL, NULL FROM audit_log
WHERE outcome = 'done'
  AND action IN ('account.deleted', 'account.password_changed', 'key.deleted', 'passkey.deleted', 'webhook.deleted')`;

/** Resolves to the number of rows. Times are in UTC. */
export async function copyRevoked(db: Client, write: (lines: Lines) => Promise<void>): Promise<number> {
  await db.query("SET TimeZone TO 'UTC'; SET DateStyle TO 'ISO'");
  const rows = db.query(copyTo(`COPY (${REVOKED}) TO STDOUT (FORMAT csv, HEADER)`));
  await write(rows);
  return rows.rowCount;
}

/** Runs in the transaction of the caller. */
export async function revise(db: Client, revision: Revision): Promise<Revised> {
  const { madeAt, revoked, deleteKeys, webhooksOff } = revision;
  // Not a temporary table, because the owner of the schema has no right to those.
  await db.query(`CREATE UNLOGGED TABLE revoked (
    kind text NOT NULL DEFAULT 'link'
      CONSTRAINT known_kind CHECK (kind IN ('link', 'account', 'key', 'passkey', 'webhook')),
    id text COLLATE "C" NOT NULL,
    state text NOT NULL DEFAULT 'revoked',
    at timestamptz NOT NULL DEFAULT now(),
    threat_type text,
    reason text,
    CONSTRAINT slug_or_id_and_state CHECK (CASE WHEN kind = 'link'
      THEN id ~ '${SLUG.source}' AND state IN ('active', 'flagged', 'revoked')
      ELSE id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' AND state IN ('deleted', 'suspended', 'password_changed')
    END)
  )`);
  if (revoked !== undefined) {
    const format = revoked.slugsOnly
      ? '(id) FROM STDIN (FORMAT csv)'
      : `(${COLUMNS}) FROM STDIN (FORMAT csv, HEADER MATCH)`;
    const lines = revoked.slugsOnly ? [slugsIn(await text(revoked.lines()))] : revoked.lines();
    await pipeline(lines, db.query(copyFrom(`COPY revoked ${format}`))).catch((cause) => {
      const [, line] = /line (\d+)/.exec(cause.where ?? '') ?? [];
      throw line === undefined ? cause : wrongLine(line, cause.message, cause);
    });
    await db.query('ANALYZE revoked');
  }
  const rowCount = async (sql: string, values: unknown[] = []) => (await db.query(sql, values)).rowCount ?? 0;
  const audited = (change: string, action: string) =>
    rowCount(`WITH changed AS (${change})
      INSERT INTO audit_log (via, action, subject, account_id, outcome, detail)
      SELECT 'operator', '${action}', id, account_id, 'done', 'restore of a backup' FROM changed`);
  const deletedOf = (kind: string) =>
    `id IN (SELECT id::uuid FROM revoked WHERE kind = '${kind}' AND state = 'deleted')`;

  const links_revoked = await rowCount(`
    UPDATE links l SET status = 'revoked', revoked_at = r.at, updated_at = r.at, version = version + 1
    FROM (SELECT id, max(at) AS at FROM revoked WHERE kind = 'link' AND state = 'revoked' GROUP BY id) r
    WHERE l.slug = r.id AND l.status <> 'revoked'`);
  const links_flagged = await rowCount(`
    WITH flagged AS (
      UPDATE links l SET status = 'flagged', threat_type = coalesce(r.threat_type, 'policy_violation'),
        take_down_reason = r.reason, updated_at = r.at, version = version + 1
      FROM (SELECT DISTINCT ON (id) * FROM revoked WHERE kind = 'link' AND state = 'flagged' ORDER BY id) r
      WHERE l.slug = r.id AND l.status = 'active'
      RETURNING l.id, l.scan_generation, l.threat_type, r.at
    )
    INSERT INTO link_verdicts (link_id, generation, outcome, threat_type, reasons, at)
    SELECT id, scan_generation, 'flagged', threat_type,
      '[{"rule": "restore", "evidence": "it was flagged before a backup was restored"}]', at FROM flagged`);
  // As of a deleted account: such a link belongs to nobody, and its slug is never used again.
  const slugs_reserved = await rowCount(
    `INSERT INTO links (slug, owner_id, destination_url, status, tags, created_at, updated_at, revoked_at, scanned_at,
       scan_generation, version)
     SELECT id, '00000000-0000-0000-0000-000000000000', $1, 'revoked', '{}', max(at), max(at), max(at), max(at), '', 1
     FROM revoked WHERE kind = 'link' GROUP BY id ON CONFLICT (slug) DO NOTHING`,
    [ERASED_DESTINATION],
  );
  const keys = await audited(
    `DELETE FROM api_keys WHERE ${deleteKeys} OR ${deletedOf('key')} RETURNING id, account_id`,
    'key.deleted',
  );
  const passkeys = await audited(
    `DELETE FROM passkeys WHERE ${deletedOf('passkey')} RETURNING id, account_id`,
    'passkey.deleted',
  );
  const passwords = await rowCount(
    `UPDATE accounts SET password_hash = NULL WHERE password_hash IS NOT NULL AND id IN (
       SELECT id::uuid FROM revoked WHERE kind = 'account' AND state = 'password_changed' AND at > $1)`,
    [madeAt],
  );
  const webhooks = await rowCount(`DELETE FROM webhooks WHERE ${deletedOf('webhook')}`);
  const accounts_suspended = await audited(
    `UPDATE accounts a SET suspended_at = r.at, suspension_reason = r.reason
     FROM (SELECT DISTINCT ON (id) * FROM revoked WHERE kind = 'account' AND state <> 'password_changed' ORDER BY id) r
     WHERE a.id = r.id::uuid AND a.suspended_at IS NULL RETURNING a.id, a.id AS account_id`,
    'account.suspended',
  );
  const { rows } = await db.query<{ email: string }>(
    `SELECT email FROM accounts WHERE ${deletedOf('account')} ORDER BY email`,
  );
  await db.query('DROP TABLE revoked');
  if (webhooksOff)
    await db.query("UPDATE webhooks SET disabled_at = now(), disabled_reason = 'owner' WHERE disabled_at IS NULL");
  const back = await db.query<Record<keyof Revised['back'], string>>(BACK);
  return {
    back: Object.fromEntries(Object.entries(back.rows[0]!).map(([name, n]) => [name, Number(n)])) as Revised['back'],
    revoked: { links_revoked, links_flagged, slugs_reserved, keys, passkeys, passwords, webhooks, accounts_suspended },
    accounts_to_delete: rows.map(({ email }) => email),
  };
}

const wrongLine = (line: number | string, problem: string, cause?: unknown) =>
  new Error(`the list of what is revoked, line ${line}: ${problem}`, { cause });

/** A person wrote the list, so blanks, empty lines and the byte order mark of an editor are ignored. */
function slugsIn(list: string): string {
  const slugs = list.split('\n').map((line) => line.trim());
  const wrong = slugs.findIndex((slug) => slug !== '' && !SLUG.test(slug));
  if (wrong >= 0) throw wrongLine(wrong + 1, `${JSON.stringify(slugs[wrong]!.slice(0, 100))} is not a slug`);
  return slugs.filter(Boolean).join('\n');
}

const BACK = `SELECT
  (SELECT count(*) FROM links WHERE status = 'active') AS redirecting_links,
  (SELECT count(*) FROM accounts WHERE suspended_at IS NOT NULL) AS suspended_accounts,
  (SELECT count(*) FROM api_keys WHERE coalesce(expires_at, 'infinity') > now()) AS keys,
  (SELECT count(*) FROM passkeys) AS passkeys,
  (SELECT count(*) FROM accounts WHERE password_hash IS NOT NULL) AS passwords,
  (SELECT count(*) FROM identities) AS identities,
  (SELECT count(*) FROM webhooks WHERE disabled_at IS NULL) AS webhooks,
  (SELECT count(*) FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
   WHERE d.state = 'pending' AND w.disabled_at IS NULL) AS webhook_messages`;
