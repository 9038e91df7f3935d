import { randomFillSync } from 'node:crypto';
import {
  assertQuota,
  created,
  DomainError,
  generateSlug,
  LIMITS,
  type Link,
  type LinkChange,
  type LinkEvent,
  type Quota,
  quotaAt,
  slugsTaken,
  TOPICS,
} from '@waypost/domain';
import type { CreateLinks, LinkNote, LinkStore, ListQuery, ListSort } from '@waypost/ports';
import { traceparent } from '@waypost/service-kit';
import type { DataSource, EntityManager } from 'typeorm';
import { prepared, rows, sqlState, translated } from './database.ts';
import { type LinkRow, Links } from './entities.ts';
import { wakeOutbox } from './outbox.ts';

const UNIQUE_VIOLATION = '23505';
const DIVISION_BY_ZERO = '22012';
const SERIALIZATION = /^40(001|P01)$/;
const ATTEMPTS = 8;

/** A window is over an hour after its start, or when it starts in the future (the clock was set back). */
const WINDOW_OVER = `(c.window_start <= $4::timestamptz - interval '1 hour' OR c.window_start > $4::timestamptz + interval '1 minute')`;

/**
 * One statement is the whole transaction: one way to the server. It fails as a whole if a slug is taken, if there is no
 * quota, or if another holder has the idempotency key (the division). The quota row comes last, after all that was
 * inserted: it is the lock for which an account's creations queue, and it is held for no longer than the commit takes.
 */
const CREATE = `
WITH account AS (SELECT coalesce(creations_per_hour, $3::int) AS quota FROM accounts WHERE id = $1),
l AS (
  INSERT INTO links (slug, owner_id, destination_url, status, threat_type, tags, created_at, updated_at, scanned_at, scan_generation, version)
  SELECT n.slug, $1, n.destination_url, n.status, n.threat_type,
         ARRAY(SELECT json_array_elements_text(n.tags::json)), $4, $4, $4, $5, 1
  FROM unnest($6::text[], $7::text[], $8::text[], $9::text[], $10::text[]) AS n (slug, destination_url, status, threat_type, tags)
  ORDER BY n.slug -- the same order for all, so that two batches never wait for each other
  RETURNING id, slug
),
v AS (
  INSERT INTO link_verdicts (link_id, generation, outcome, threat_type, reasons, at)
  SELECT l.id, $5, x.outcome, x.threat_type, x.reasons::jsonb, $4
  FROM (SELECT * FROM json_to_recordset($11::json) AS r (slug text, outcome text, threat_type text, reasons json)) x JOIN l USING (slug)
  RETURNING 1
),
o AS (
  INSERT INTO outbox (topic, key, value, traceparent)
  SELECT '${TOPICS.links}', x.slug, x.value, $18 FROM unnest($12::text[], $13::text[]) AS x (slug, value)
  RETURNING 1
),
k AS (
  UPDATE idempotency_keys SET response = $17::jsonb, held_until = $4
  WHERE account_id = $1 AND endpoint = $14 AND key = $15 AND holder = $16 AND response IS NULL
  RETURNING 1
),
written AS (
  SELECT (SELECT count(*) FROM v) + (SELECT count(*) FROM o) AS rows, (SELECT count(*) FROM k) AS keys
),
q AS (
  INSERT INTO creation_quota AS c (account_id, window_start, used)
  SELECT $1, $4::timestamptz, $2::int FROM account, written
  WHERE $2::int <= quota AND written.rows >= 0 AND ($15::text IS NULL OR written.keys = 1)
  ON CONFLICT (account_id) DO UPDATE SET
    window_start = CASE WHEN ${WINDOW_OVER} THEN $4::timestamptz ELSE c.window_start END,
    used         = CASE WHEN ${WINDOW_OVER} THEN $2::int ELSE c.used + $2::int END
  WHERE (CASE WHEN ${WINDOW_OVER} THEN 0 ELSE c.used END) + $2::int <= (SELECT quota FROM account)
  RETURNING window_start, used
)
SELECT 1 / (SELECT count(*) FROM q) AS granted, account.quota, (SELECT window_start FROM q), (SELECT used FROM q) FROM account`;

export interface LinkStoreOptions {
  /** For accounts without a limit of their own. */
  readonly creationsPerHour: number;
  /** A cryptographic source, for generated slugs. */
  readonly randomBytes?: (size: number) => Uint8Array;
}

export function postgresLinkStore(db: DataSource, options: LinkStoreOptions): LinkStore {
  const random = options.randomBytes ?? pooledRandomBytes();
  const quota = async (ownerId: string, now: Date): Promise<Quota> => {
    const [row] = await prepared<{ quota: number; start: Date | null; used: number | null }>(
      db,
      'quota',
      `SELECT coalesce(a.creations_per_hour, $2::int) AS quota, c.window_start AS start, c.used
       FROM accounts a LEFT JOIN creation_quota c ON c.account_id = a.id WHERE a.id = $1`,
      [ownerId, options.creationsPerHour],
    );
    if (row === undefined) throw new Error('the quota of an account that does not exist was asked for');
    const window = row.start === null ? undefined : { start: row.start, used: row.used ?? 0 };
    return quotaAt(row.quota, window, now);
  };

  const taken = async (slugs: readonly string[]) => {
    const found = await rows<{ slug: string }>(db, 'SELECT slug FROM links WHERE slug = ANY($1::text[])', [slugs]);
    return found.map(({ slug }) => slug);
  };

  const create = async (request: CreateLinks, now: Date) => {
    for (let attempt = 1; ; attempt++) {
      const changes = request.links.map(({ customSlug, verdict, destinationUrl, tags }) =>
        created(
          {
            slug: customSlug ?? generateSlug(random),
            ownerId: request.ownerId,
            destinationUrl,
            tags,
            threatType: verdict.outcome === 'flagged' ? verdict.threat_type : null,
            scanGeneration: request.scanGeneration,
          },
          now,
        ),
      );
      try {
        const [row] = await prepared<{ window_start: Date; used: number; quota: number }>(
          db,
          'create-links',
          CREATE,
          createParameters(request, changes, options.creationsPerHour, now),
        );
        wakeOutbox(db);
        const after = quotaAt(row!.quota, { start: row!.window_start, used: row!.used }, now);
        return { links: changes.map(({ link }) => link), quota: after };
      } catch (error) {
        const state = sqlState(error);
        if (state === DIVISION_BY_ZERO) {
          assertQuota(await quota(request.ownerId, now), request.links.length, now);
          if (request.idempotency !== undefined) throw keyTakenOver();
          // The window ended, or a limit was raised, between the two statements: it fits now.
        } else if (state === UNIQUE_VIOLATION) {
          const existing = new Set(await taken(changes.map(({ link }) => link.slug)));
          const custom = request.links.flatMap(({ customSlug }) => (customSlug === undefined ? [] : [customSlug]));
          const conflicts = custom.filter((slug) => existing.has(slug));
          if (conflicts.length > 0) throw slugsTaken(conflicts);
        } else if (!SERIALIZATION.test(state ?? '')) {
          throw error;
        }
        if (attempt >= ATTEMPTS) throw error;
      }
    }
  };

  const update: LinkStore['update'] = async (slug, change, note) => {
    try {
      return await db.transaction(async (tx) => {
        const row = await tx.findOne(Links, { where: { slug }, lock: { mode: 'pessimistic_write' } });
        if (row === null) return undefined;
        const current = linkOf(row);
        const next = change(current);
        if (next !== undefined) await store(tx, row.id, next);
        if (note !== undefined && (next !== undefined || note.kind === 'review')) {
          await keepNote(tx, row.id, note, next?.link ?? current);
        }
        return next?.link ?? current;
      });
    } catch (error) {
      throw translated(error);
    } finally {
      wakeOutbox(db);
    }
  };

  return {
    create,
    taken,
    quota,
    update,
    find: async (slug) => {
      const [row] = await prepared<LinkRow>(db, 'find-link', `SELECT ${COLUMNS} FROM links WHERE slug = $1`, [slug]);
      return row === undefined ? undefined : linkOf(row);
    },
    list: (ownerId, query) => list(db, ownerId, query),
    clearedEvidence: async (slug) => {
      const found = await rows<{ evidence: string }>(
        db,
        `SELECT jsonb_array_elements_text(r.cleared) AS evidence
         FROM link_reviews r JOIN links l ON l.id = r.link_id WHERE l.slug = $1 AND r.decision = 'clear'`,
        [slug],
      );
      return found.map(({ evidence }) => evidence);
    },
  };
}

/** Random bytes from a pool: asking the kernel for a slug's fourteen costs more than the rest of making it. */
function pooledRandomBytes(): (size: number) => Uint8Array {
  const pool = Buffer.alloc(4096);
  let used = pool.length;
  return (size) => {
    if (used + size > pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    used += size;
    return Uint8Array.prototype.slice.call(pool, used - size, used);
  };
}

function keyTakenOver(): DomainError {
  return new DomainError('idempotency_key_in_use', 'Another request with this Idempotency-Key took over.', {
    retryAfterSeconds: 1,
  });
}

function createParameters(request: CreateLinks, changes: readonly LinkChange[], limit: number, now: Date): unknown[] {
  const links = changes.map(({ link }) => link);
  const verdicts: unknown[] = [];
  for (const [i, { verdict }] of request.links.entries()) {
    const { slug } = links[i]!;
    if (verdict.outcome !== 'clean') {
      verdicts.push({ slug, outcome: verdict.outcome, threat_type: verdict.threat_type, reasons: verdict.reasons });
    }
  }
  const { idempotency } = request;
  return [
    request.ownerId,
    links.length,
    limit,
    now,
    request.scanGeneration,
    links.map(({ slug }) => slug),
    links.map(({ destinationUrl }) => destinationUrl),
    links.map(({ status }) => status),
    links.map(({ threatType }) => threatType),
    links.map(({ tags }) => JSON.stringify(tags)),
    JSON.stringify(verdicts),
    changes.map(({ event }) => event.slug),
    changes.map(({ event }) => JSON.stringify(event satisfies LinkEvent)),
    idempotency?.endpoint ?? null,
    idempotency?.key ?? null,
    idempotency?.holder ?? null,
    idempotency === undefined ? null : JSON.stringify(idempotency.response(links)),
    traceparent() ?? null,
  ];
}

const COLUMNS = `id, slug, owner_id AS "ownerId", destination_url AS "destinationUrl", status, threat_type AS "threatType",
  tags, created_at AS "createdAt", updated_at AS "updatedAt", revoked_at AS "revokedAt", scanned_at AS "scannedAt",
  scan_generation AS "scanGeneration", version`;

function linkOf({ id: _, ...link }: LinkRow): Link {
  return link;
}

async function store(tx: EntityManager, id: string, { link, event }: LinkChange): Promise<void> {
  const { status, threatType, updatedAt, revokedAt, scannedAt, scanGeneration, version } = link;
  await tx.update(Links, { id }, { status, threatType, updatedAt, revokedAt, scannedAt, scanGeneration, version });
  await tx.query('INSERT INTO outbox (topic, key, value, traceparent) VALUES ($1, $2, $3, $4)', [
    TOPICS.links,
    link.slug,
    JSON.stringify(event),
    traceparent() ?? null,
  ]);
}

async function keepNote(tx: EntityManager, id: string, note: LinkNote, link: Link): Promise<void> {
  if (note.kind === 'verdict') {
    const { outcome, threat_type, reasons } = note.verdict;
    await tx.query(
      'INSERT INTO link_verdicts (link_id, generation, outcome, threat_type, reasons, at) VALUES ($1, $2, $3, $4, $5, $6)',
      [id, note.generation, outcome, threat_type, JSON.stringify(reasons), link.updatedAt],
    );
    return;
  }
  // What a `clear` clears is the evidence of the latest verdict, the one that flagged the link.
  await tx.query(
    `INSERT INTO link_reviews (link_id, decision, reason, cleared, at)
     SELECT $1, $2, $3, coalesce((
       SELECT jsonb_agg((r ->> 'rule') || ' ' || (r ->> 'evidence'))
       FROM (SELECT reasons FROM link_verdicts WHERE link_id = $1 ORDER BY id DESC LIMIT 1) latest, jsonb_array_elements(latest.reasons) r
     ), '[]'), $4`,
    [id, note.decision, note.reason, note.at],
  );
}

/** The contract's names are the columns'. */
const SORT_COLUMNS = {
  created_at: 'created_at',
  updated_at: 'updated_at',
  slug: 'slug',
  destination_url: 'destination_url',
  status: 'status',
} as const satisfies Record<ListSort, string>;

async function list(db: DataSource, ownerId: string, query: ListQuery) {
  // Folding keeps the number of characters, so what is longer than any destination is part of none.
  if (query.search !== undefined && [...query.search].length > LIMITS.destinationUrlBytes)
    return { links: [], total: 0 };
  const { text, values } = listStatement(ownerId, query);
  const found = await rows<{ total: string; place: string } & (LinkRow | { id: null })>(db, text, values);
  return {
    links: found.flatMap(({ total: _, place: __, ...row }) => (row.id === null ? [] : [linkOf(row)])),
    total: Number(found[0]!.total),
  };
}

/**
 * The count, and beside it the page, which may be empty. A search looks at each of the owner's links once, and what it
 * looks for is folded once; without one the count and the page each have an index.
 */
function listStatement(ownerId: string, { status, tags, search, sort, order, page, limit }: ListQuery) {
  const values: unknown[] = [ownerId];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const conditions = ['owner_id = $1'];
  if (status !== undefined) conditions.push(`status = ${bind(status)}`);
  if (tags.length > 0) conditions.push(`tags @> ${bind([...tags])}::text[]`);
  let wanted = '';
  if (search !== undefined) {
    // strpos, not LIKE: nothing in the text is a pattern. pg_c_utf8 folds the case of every script.
    wanted = `wanted AS MATERIALIZED (SELECT lower(${bind(search)}::text COLLATE pg_c_utf8) AS text), `;
    const holds = (column: string) => `strpos(lower(${column} COLLATE pg_c_utf8), (SELECT text FROM wanted)) > 0`;
    conditions.push(`(${holds('slug')} OR ${holds('destination_url')})`);
  }
  const ordered = `sorted ${order === 'asc' ? 'ASC' : 'DESC'}, slug ASC`;
  const text = `
    WITH ${wanted}found AS ${search === undefined ? 'NOT ' : ''}MATERIALIZED (
      SELECT id, slug, ${SORT_COLUMNS[sort]} AS sorted FROM links WHERE ${conditions.join(' AND ')}
    ),
    page AS (
      SELECT id, row_number() OVER (ORDER BY ${ordered}) AS place FROM found
      ORDER BY ${ordered} OFFSET ${(page - 1) * limit} LIMIT ${limit}
    )
    SELECT counted.total, shown.* FROM (SELECT count(*) AS total FROM found) counted
    LEFT JOIN (SELECT ${COLUMNS}, place FROM page JOIN links USING (id)) shown ON true
    ORDER BY place`;
  return { text, values };
}
