import {
  accountGone,
  assertQuota,
  DomainError,
  LINKS,
  type Link,
  type LinkEvent,
  type LinkUpdate,
  QUOTA_CLOCK_SKEW_MS,
  QUOTA_WINDOW_MS,
  type Quota,
  quotaAt,
  UnstorableData,
} from '@waypost/domain';
import {
  FACET_LINKS,
  FACET_TAGS,
  type FlagEvidence,
  type KeptVerdict,
  type LinkFacets,
  type LinkNote,
  type LinkStore,
  type NewLinks,
  type UpdateOfLink,
} from '@waypost/ports';
import { type BackOff, backOffMs, rest } from '@waypost/resilience';
import { traceparent } from '@waypost/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { creationsOf, type QuotaRow, UNIQUE_VIOLATION } from './accounts.ts';
import { noteChange } from './audit-log.ts';
import { called, prepared, rows, sqlState, translated } from './database.ts';
import { LINK_COLUMNS, type LinkRow, linkOf, listLinks } from './link-lists.ts';
import { wakeOutbox } from './outbox.ts';

/** Raised by create_links (migrations/0001-initial.sql). */
const QUOTA_EXCEEDED = 'WP001';
const KEY_NOT_HELD = 'WP002';
/** Also raised by it: there is no such account. */
const NO_DATA_FOUND = 'P0002';
/** A first creation waited for the deletion of its account. */
const FOREIGN_KEY_VIOLATION = '23503';
const SERIALIZATION = /^40(001|P01)$/;
/** "Data exception": half of a surrogate pair or a NUL, for example. */
const DATA_EXCEPTION = /^22/;
const ATTEMPTS = 8;
const BETWEEN_ATTEMPTS: BackOff = { first: 5, most: 200 };

export interface LinkStoreOptions {
  /** For accounts without their own limit. */
  readonly creationsPerHour: number;
}

export function postgresLinkStore(db: DataSource, { creationsPerHour }: LinkStoreOptions): LinkStore {
  const taken = async (slugs: readonly string[]) => {
    const found = await rows<{ slug: string }>(db, 'SELECT slug FROM links WHERE slug = ANY($1::text[])', [slugs]);
    return found.map(({ slug }) => slug);
  };

  const insert: LinkStore['insert'] = async (creation, now) => {
    for (let attempt = 1; ; attempt++) {
      try {
        const [row] = await called<Spent>(db, 'create_links', createLinksArguments(creation, now, creationsPerHour));
        wakeOutbox(db);
        return { quota: quotaAt(row!.allowed, { start: row!.started, used: row!.spent }, now) };
      } catch (error) {
        const state = sqlState(error) ?? '';
        if (state === UNIQUE_VIOLATION) return { taken: await taken(creation.links.map(({ link }) => link.slug)) };
        if (state === QUOTA_EXCEEDED) assertQuota(exceededQuota(error, now), creation.links.length, now);
        if (state === KEY_NOT_HELD) throw keyTakenOver(error);
        if (state === NO_DATA_FOUND || state === FOREIGN_KEY_VIOLATION) throw accountGone();
        if (!SERIALIZATION.test(state) || attempt >= ATTEMPTS) throw error;
        await rest(backOffMs(BETWEEN_ATTEMPTS, attempt));
      }
    }
  };

  const updated = async (updates: readonly UpdateOfLink[]): Promise<readonly Updated[]> => {
    try {
      return await db.transaction((tx) => updateLinks(tx, updates));
    } catch (error) {
      if (DATA_EXCEPTION.test(sqlState(error) ?? ''))
        throw new UnstorableData('The store refuses it.', { cause: error });
      throw translated(error);
    } finally {
      wakeOutbox(db);
    }
  };

  return {
    insert,
    taken,
    quota: async (ownerId, now) => {
      const [row] = await prepared<QuotaRow>(
        db,
        'quota',
        `SELECT coalesce(a.creations_per_hour, $2::int) AS quota, c.window_start, c.used
         FROM accounts a LEFT JOIN creation_quota c ON c.account_id = a.id WHERE a.id = $1`,
        [ownerId, creationsPerHour],
      );
      if (row === undefined) throw new Error('the quota of an account that does not exist was asked for');
      const { limit, window } = creationsOf(row);
      return quotaAt(limit, window, now);
    },
    update: async (slug, change, note) => {
      const [one] = await updated([{ slug, change, ...(note === undefined ? {} : { note }) }]);
      return one?.next?.link ?? one?.current;
    },
    updateAll: async (updates) => (await updated(updates)).flatMap(({ next }) => next?.link ?? []),
    find: async (slug) => {
      const [row] = await prepared<LinkRow>(db, 'find-link', `SELECT ${LINK_COLUMNS} FROM links WHERE slug = $1`, [
        slug,
      ]);
      return row === undefined ? undefined : linkOf(row);
    },
    findAll: async (slugs) => {
      const stored = await rows<LinkRow>(db, `SELECT ${LINK_COLUMNS} FROM links WHERE slug = ANY($1::text[])`, [slugs]);
      return stored.map(linkOf);
    },
    active: (after, limit) =>
      rows(
        db,
        `SELECT slug, destination_url AS "destinationUrl" FROM links
         WHERE slug > $1 AND status = 'active' ORDER BY slug LIMIT $2`,
        [after, limit],
      ),
    list: (ownerId, query) => listLinks(db, ownerId, query),
    facets: async (ownerId) => {
      const [row] = await rows<LinkFacets['statuses'] & Pick<LinkFacets, 'tags'>>(db, FACETS, [ownerId]);
      const { tags, ...statuses } = row!;
      return { statuses, tags };
    },
    verdicts: (slug) => rows<KeptVerdict>(db, VERDICTS, [slug]),
    flagEvidence: async (slugs) => {
      const stored = await rows<FlagEvidence & { slug: string }>(db, FLAG_EVIDENCE, [slugs]);
      return new Map(stored.map(({ slug, ...evidence }) => [slug, evidence]));
    },
    clearedEvidence: async (slugs) => {
      const stored = await rows<{ slug: string; cleared: readonly string[] }>(db, CLEARED_EVIDENCE, [slugs]);
      return new Map(stored.map(({ slug, cleared }) => [slug, cleared]));
    },
  };
}

interface Spent {
  readonly allowed: number;
  readonly started: Date;
  readonly spent: number;
}

function createLinksArguments({ ownerId, links, keep }: NewLinks, now: Date, creationsPerHour: number) {
  const ofEach = <T>(value: (link: Link) => T) => links.map(({ link }) => value(link));
  return {
    owner: ownerId,
    made_at: now,
    scan_generation: links[0]?.link.scanGeneration,
    slugs: ofEach(({ slug }) => slug),
    urls: ofEach(({ destinationUrl }) => destinationUrl),
    statuses: ofEach(({ status }) => status),
    threat_types: ofEach(({ threatType }) => threatType),
    tags: ofEach(({ tags }) => arrayText(tags)),
    deep_scans: ofEach(({ deepScan }) => deepScan),
    previews: ofEach(({ previewFirst }) => previewFirst),
    events: links.map(({ event }) => LINKS.encode(event)),
    verdicts: verdictsJson(links),
    event_topic: LINKS.name,
    trace: traceparent(),
    default_limit: creationsPerHour,
    window_length: `${QUOTA_WINDOW_MS} ms`,
    clock_skew: `${QUOTA_CLOCK_SKEW_MS} ms`,
    keep_endpoint: keep?.endpoint,
    keep_key: keep?.key,
    keep_holder: keep?.holder,
    keep_answer: keep && JSON.stringify(keep.answer),
  };
}

/** An array inside an array: PostgreSQL's own have rows of one length. */
const arrayText = (texts: readonly string[]) =>
  `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;

/** The verdicts to keep. */
export function verdictsJson(links: NewLinks['links']): string {
  return JSON.stringify(
    links.flatMap(({ link: { slug }, verdict: { outcome, threat_type, reasons } }) =>
      outcome === 'clean' ? [] : [{ slug, outcome, threat_type, reasons }],
    ),
  );
}

function exceededQuota(error: unknown, now: Date): Quota {
  const { detail } = error as { readonly detail: string };
  const { limit, start, used } = JSON.parse(detail) as { limit: number; start: string; used: number };
  return quotaAt(limit, { start: new Date(start), used }, now);
}

function keyTakenOver(cause: unknown): DomainError {
  return new DomainError('idempotency_key_in_use', 'Another request with this Idempotency-Key took over.', {
    retryAfterSeconds: 1,
    cause,
  });
}

interface Updated {
  readonly id: string;
  readonly current: Link;
  readonly next: LinkUpdate | undefined;
}

/** Locks them in one order, so that callers with some of the same links wait for each other. */
export function lockLinks(tx: EntityManager, slugs: readonly string[]): Promise<LinkRow[]> {
  const sql = `SELECT ${LINK_COLUMNS} FROM links WHERE slug = ANY($1::text[]) ORDER BY slug FOR UPDATE`;
  return rows(tx, sql, [slugs]);
}

async function updateLinks(tx: EntityManager, updates: readonly UpdateOfLink[]): Promise<readonly Updated[]> {
  const bySlug = new Map(updates.map((update) => [update.slug, update]));
  const stored = await lockLinks(tx, [...bySlug.keys()]);
  const updated = stored.map((row) => {
    const current = linkOf(row);
    const { change, note, traceparent } = bySlug.get(row.slug)!;
    return { id: row.id, current, next: change(current), note, traceparent };
  });
  const changed = updated.flatMap(({ next, ...rest }) => (next === undefined ? [] : [{ ...rest, next }]));
  if (changed.length > 0) {
    await storeLinks(tx, changed);
    await queueEvents(
      tx,
      changed.flatMap(({ next: { event }, traceparent }) => (event === undefined ? [] : [{ event, traceparent }])),
    );
  }
  const verdicts = changed.flatMap(({ id, next: { link }, note }) =>
    note?.kind === 'verdict' ? { id, link, note } : [],
  );
  if (verdicts.length > 0) await keepVerdicts(tx, verdicts);
  for (const { id, current, next, note } of updated) {
    if (note === undefined || note.kind === 'verdict' || (next === undefined && note.kind !== 'review')) continue;
    await keepNote(tx, id, note, next?.link ?? current);
  }
  return updated;
}

const STORE = `
UPDATE links SET destination_url = n.url, status = n.status, threat_type = n.threat_type,
  take_down_reason = n.take_down_reason, updated_at = n.updated_at, revoked_at = n.revoked_at,
  scanned_at = n.scanned_at, scan_generation = n.scan_generation, deep_scan = n.deep_scan,
  preview_first = n.preview_first, version = n.version
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[],
  $8::timestamptz[], $9::text[], $10::text[], $11::boolean[], $12::integer[]) AS n (id, url, status, threat_type,
  take_down_reason, updated_at, revoked_at, scanned_at, scan_generation, deep_scan, preview_first, version)
WHERE links.id = n.id`;

/** What may change of a link; its tags go with its account alone. */
export async function storeLinks(
  tx: EntityManager,
  changed: readonly { readonly id: string; readonly next: LinkUpdate }[],
): Promise<void> {
  const ofEach = <T>(value: (link: Link) => T) => changed.map(({ next: { link } }) => value(link));
  await tx.query(STORE, [
    changed.map(({ id }) => id),
    ofEach(({ destinationUrl }) => destinationUrl),
    ofEach(({ status }) => status),
    ofEach(({ threatType }) => threatType),
    ofEach(({ takeDownReason }) => takeDownReason),
    ofEach(({ updatedAt }) => updatedAt),
    ofEach(({ revokedAt }) => revokedAt),
    ofEach(({ scannedAt }) => scannedAt),
    ofEach(({ scanGeneration }) => scanGeneration),
    ofEach(({ deepScan }) => deepScan),
    ofEach(({ previewFirst }) => previewFirst),
    ofEach(({ version }) => version),
  ]);
}

/** In this order. Without a trace of their own, they are in the current one. */
export async function queueEvents(
  tx: EntityManager,
  events: readonly { readonly event: LinkEvent; readonly traceparent?: string | undefined }[],
): Promise<void> {
  if (events.length === 0) return;
  await tx.query(
    `INSERT INTO outbox (topic, key, value, traceparent)
     SELECT $1, key, value, trace FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS n (key, value, trace, place)
     ORDER BY place`,
    [
      LINKS.name,
      events.map(({ event }) => event.slug),
      events.map(({ event }) => LINKS.encode(event)),
      events.map((each) => each.traceparent ?? traceparent() ?? null),
    ],
  );
}

async function keepVerdicts(
  tx: EntityManager,
  verdicts: readonly {
    readonly id: string;
    readonly link: Link;
    readonly note: LinkNote & { readonly kind: 'verdict' };
  }[],
): Promise<void> {
  await tx.query(
    `INSERT INTO link_verdicts (link_id, generation, outcome, threat_type, reasons, at)
     SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::jsonb[], $6::timestamptz[])`,
    [
      verdicts.map(({ id }) => id),
      verdicts.map(({ note }) => note.generation),
      verdicts.map(({ note }) => note.verdict.outcome),
      verdicts.map(({ note }) => note.verdict.threat_type),
      verdicts.map(({ note }) => JSON.stringify(note.verdict.reasons)),
      verdicts.map(({ link }) => link.scannedAt),
    ],
  );
}

async function keepNote(
  tx: EntityManager,
  id: string,
  note: Exclude<LinkNote, { kind: 'verdict' }>,
  link: Link,
): Promise<void> {
  const { by, reason } = note;
  const noted = { by, subject: link.slug, accountId: link.ownerId };
  if (note.kind === 'take_down') {
    const { threatType } = note;
    // With the reasons of the flag that it had before: a `clear` clears the evidence of the latest verdict.
    await tx.query(
      `INSERT INTO link_verdicts (link_id, generation, outcome, threat_type, reasons, at)
       SELECT $1, $2, 'flagged', $3, $4::jsonb || coalesce((
         SELECT reasons FROM link_verdicts v WHERE link_id = $1 AND outcome = 'flagged' AND NOT EXISTS (
           SELECT FROM link_reviews WHERE link_id = $1 AND decision = 'clear' AND at >= v.at)
           AND NOT EXISTS (SELECT FROM link_verdicts c WHERE c.link_id = $1 AND c.outcome = 'clean' AND c.id > v.id)
         ORDER BY id DESC LIMIT 1
       ), '[]'), $5`,
      [id, link.scanGeneration, threatType, JSON.stringify([{ rule: 'take-down', evidence: reason }]), link.updatedAt],
    );
    await noteChange(tx, { ...noted, action: 'link.taken_down', detail: `${threatType}: ${reason}` });
    return;
  }
  await noteChange(tx, { ...noted, action: 'link.reviewed', detail: `${note.decision}: ${reason}` });
  // A `clear` clears the evidence of the latest verdict that flagged the link.
  await tx.query(
    `INSERT INTO link_reviews (link_id, decision, reason, cleared, at)
     SELECT $1, $2, $3, coalesce((
       SELECT jsonb_agg((r ->> 'rule') || ' ' || (r ->> 'evidence'))
       FROM (SELECT reasons FROM link_verdicts WHERE link_id = $1 AND outcome = 'flagged' ORDER BY id DESC LIMIT 1) latest, jsonb_array_elements(latest.reasons) r
     ), '[]'), $4`,
    [id, note.decision, reason, note.at],
  );
}

const FLAG_EVIDENCE = `
SELECT l.slug, l.version, v.reasons, EXISTS (
  SELECT FROM link_reviews r WHERE r.link_id = l.id AND r.decision = 'keep' AND r.at >= v.at
) AS "keptByReview"
FROM links l, LATERAL (
  SELECT reasons, at FROM link_verdicts WHERE link_id = l.id AND outcome = 'flagged' ORDER BY id DESC LIMIT 1
) v
WHERE l.slug = ANY($1::text[])`;

const CLEARED_EVIDENCE = `
SELECT l.slug, array_agg(e.evidence ORDER BY r.id, e.place) AS cleared
FROM links l JOIN link_reviews r ON r.link_id = l.id,
  jsonb_array_elements_text(r.cleared) WITH ORDINALITY AS e (evidence, place)
WHERE l.slug = ANY($1::text[]) AND r.decision = 'clear' GROUP BY l.slug`;

/** The tags are read of a bounded number of links. */
const FACETS = `
SELECT count(*) FILTER (WHERE status = 'active')::integer AS active, count(*) FILTER (WHERE status = 'flagged')::integer AS flagged,
  count(*) FILTER (WHERE status = 'revoked')::integer AS revoked,
  (SELECT coalesce(json_agg(json_build_object('tag', tag, 'count', count)), '[]') FROM (
    SELECT tag, count(*) AS count
    FROM (
      SELECT unnest(tags) COLLATE "C" AS tag
      FROM (SELECT tags FROM links WHERE owner_id = $1 ORDER BY created_at DESC, slug DESC LIMIT ${FACET_LINKS}) newest
    ) each
    GROUP BY tag ORDER BY count DESC, tag LIMIT ${FACET_TAGS}
  ) used) AS tags
FROM links WHERE owner_id = $1`;

/** A review comes after the verdict that it is about, also within one millisecond. */
const VERDICTS = `
SELECT at, source, outcome, threat_type, reasons, generation FROM (
  SELECT v.at, CASE WHEN v.reasons -> 0 ->> 'rule' = 'take-down' THEN 'take_down' ELSE 'scan' END AS source,
    v.outcome, v.threat_type, v.reasons, v.generation, 0 AS last, v.id
  FROM link_verdicts v JOIN links l ON l.id = v.link_id WHERE l.slug = $1
  UNION ALL
  SELECT r.at, 'review', CASE r.decision WHEN 'clear' THEN 'cleared' ELSE 'kept' END, NULL, '[]', NULL, 1, r.id
  FROM link_reviews r JOIN links l ON l.id = r.link_id WHERE l.slug = $1
) decided ORDER BY at DESC, last DESC, id DESC LIMIT 10`;
