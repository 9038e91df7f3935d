import {
  accountGone,
  assertQuota,
  DomainError,
  FIXED_LINK_FIELDS,
  LINK_FIELDS,
  LINKS,
  type Link,
  type LinkEvent,
  type LinkHistory,
  QUOTA_CLOCK_SKEW_MS,
  QUOTA_WINDOW_MS,
  type Quota,
  quotaAt,
  UnstorableData,
} from '@waypost/domain';
import {
  called,
  type Database,
  prepared,
  rows,
  sqlState,
  type Transaction,
  translated,
  UNIQUE_VIOLATION,
} from '@waypost/postgres';
import { type BackOff, backOffMs, rest } from '@waypost/resilience';
import { traceparent } from '@waypost/telemetry';
import { creationsOf, type QuotaRow } from '../accounts/index.ts';
import { storeNotes } from '../audit/index.ts';
import { columnOf, rowOf } from '../platform/columns.ts';
import { LINK_COLUMNS, type LinkRow, linkOf, linksAfter, listLinks } from './link-lists.sql.ts';
import {
  type Decision,
  FACET_LINKS,
  FACET_TAGS,
  type KeptVerdict,
  type LinkChanges,
  type LinkFacets,
  type LinkStore,
  type NewLinks,
  type UpdateOfLink,
} from './link-store.port.ts';

/** The SQL function `create_links` raises this (migrations/0001-initial.sql). */
const QUOTA_EXCEEDED = 'WP001';
const KEY_NOT_HELD = 'WP002';
/** The SQL function `create_links` raises this if the account does not exist. */
const NO_DATA_FOUND = 'P0002';
/** This occurs if the account was deleted while its first creation waited for a lock. */
const FOREIGN_KEY_VIOLATION = '23503';
const SERIALIZATION = /^40(001|P01)$/;
/** PostgreSQL reports this class for text that it cannot store, such as NUL or half of a surrogate pair. */
const DATA_EXCEPTION = /^22/;
const ATTEMPTS = 8;
const BETWEEN_ATTEMPTS: BackOff = { first: 5, most: 200 };

export function postgresLinkStore(
  db: Database,
  { creationsPerHour }: { readonly creationsPerHour: number },
  wakeOutbox: () => void,
): LinkStore {
  const insert: LinkStore['insert'] = async (creation, now) => {
    for (let attempt = 1; ; attempt++) {
      try {
        const [row] = await called<QuotaUse>(db, 'create_links', createLinksArguments(creation, now, creationsPerHour));
        wakeOutbox();
        return { quota: quotaAt(row!.allowed, { start: row!.started, used: row!.spent }, now) };
      } catch (error) {
        const state = sqlState(error) ?? '';
        const slugs = creation.links.map(({ link }) => link.slug);
        if (state === UNIQUE_VIOLATION) return { taken: await existingSlugs(db, slugs) };
        if (state === QUOTA_EXCEEDED) assertQuota(exceededQuota(error, now), creation.links.length, now);
        if (state === KEY_NOT_HELD) throw keyTakenOver(error);
        if (state === NO_DATA_FOUND || state === FOREIGN_KEY_VIOLATION) throw accountGone();
        if (!SERIALIZATION.test(state) || attempt >= ATTEMPTS) throw error;
        await rest(backOffMs(BETWEEN_ATTEMPTS, attempt));
      }
    }
  };

  const apply = async (updates: readonly UpdateOfLink[]): Promise<readonly Updated[]> => {
    try {
      return await db.transaction((tx) => updateLinks(tx, updates));
    } catch (error) {
      if (DATA_EXCEPTION.test(sqlState(error) ?? ''))
        throw new UnstorableData('The store refuses it.', { cause: error });
      throw translated(error);
    } finally {
      wakeOutbox();
    }
  };

  return {
    insert,
    taken: (slugs) => existingSlugs(db, slugs),
    quota: (ownerId, now) => quotaOf(db, ownerId, creationsPerHour, now),
    update: async (slug, decide) => {
      const [result] = await apply([{ slug, decide }]);
      return result?.decision.link ?? result?.current;
    },
    updateAll: async (updates) => (await apply(updates)).flatMap(({ decision }) => decision.link ?? []),
    find: async (slug) => {
      const [row] = await prepared<LinkRow>(db, 'find-link', `SELECT ${LINK_COLUMNS} FROM links WHERE slug = $1`, [
        slug,
      ]);
      return row === undefined ? undefined : linkOf(row);
    },
    findAll: async (slugs) => {
      const linkRows = await rows<LinkRow>(db, `SELECT ${LINK_COLUMNS} FROM links WHERE slug = ANY($1::text[])`, [
        slugs,
      ]);
      return linkRows.map(linkOf);
    },
    active: (after, limit) =>
      rows(
        db,
        `SELECT slug, destination_url AS "destinationUrl" FROM links
         WHERE slug > $1 AND status = 'active' ORDER BY slug LIMIT $2`,
        [after, limit],
      ),
    ofOwner: (ownerId, after, limit) =>
      rows(
        db,
        `SELECT slug, destination_url AS "destinationUrl", take_down_reason AS "takeDownReason" FROM links
         WHERE owner_id = $1 AND slug > $2 AND status <> 'revoked' ORDER BY slug LIMIT $3`,
        [ownerId, after, limit],
      ),
    ended: async (now, limit) => {
      const links = await rows<{ slug: string }>(db, ENDED, [now, limit]);
      return links.map(({ slug }) => slug);
    },
    verdicts: (slug) => rows<KeptVerdict>(db, VERDICTS, [slug]),
    oldest: async (ownerId, after, limit) => {
      const { text, values } = linksAfter(ownerId, after, limit);
      return (await rows<LinkRow>(db, text, values)).map(linkOf);
    },
    list: (ownerId, query) => listLinks(db, ownerId, query),
    facets: async (ownerId) => {
      const [row] = await rows<LinkFacets['statuses'] & Pick<LinkFacets, 'tags'>>(db, FACETS, [ownerId]);
      const { tags, ...statuses } = row!;
      return { statuses, tags };
    },
    changedSince: async (ownerId, since) => {
      const [row] = await rows<LinkChanges>(db, CHANGED_SINCE, [ownerId, since]);
      return row!;
    },
  };
}

async function quotaOf(db: Database, ownerId: string, creationsPerHour: number, now: Date): Promise<Quota> {
  const [row] = await prepared<QuotaRow>(
    db,
    'quota',
    `SELECT coalesce(a.creations_per_hour, $2::int) AS quota, c.window_start, c.used
     FROM accounts a LEFT JOIN creation_quota c ON c.account_id = a.id WHERE a.id = $1`,
    [ownerId, creationsPerHour],
  );
  if (row === undefined) throw new Error('the quota cannot be read: the account does not exist');
  const { limit, window } = creationsOf(row);
  return quotaAt(limit, window, now);
}

async function existingSlugs(db: Database, slugs: readonly string[]): Promise<readonly string[]> {
  const links = await rows<{ slug: string }>(db, 'SELECT slug FROM links WHERE slug = ANY($1::text[])', [slugs]);
  return links.map(({ slug }) => slug);
}

interface QuotaUse {
  readonly allowed: number;
  readonly started: Date;
  readonly spent: number;
}

function createLinksArguments({ ownerId, links, keep }: NewLinks, now: Date, creationsPerHour: number) {
  return {
    ...newLinksArguments(ownerId, links, now),
    default_limit: creationsPerHour,
    window_length: `${QUOTA_WINDOW_MS} ms`,
    clock_skew: `${QUOTA_CLOCK_SKEW_MS} ms`,
    keep_endpoint: keep?.endpoint,
    keep_key: keep?.key,
    keep_holder: keep?.holder,
    keep_answer: keep && JSON.stringify(keep.answer),
  };
}

export function newLinksArguments(ownerId: string, links: NewLinks['links'], now: Date) {
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
    titles: ofEach(({ title }) => title),
    notes: ofEach(({ note }) => note),
    ends: ofEach(({ endsAt }) => endsAt),
    events: links.map(({ event }) => LINKS.encode(event)),
    verdicts: verdictsJson(links),
    trace: traceparent(),
  };
}

/** The tags of each link become text, because the rows of a PostgreSQL array must have equal lengths. */
const arrayText = (texts: readonly string[]) =>
  `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;

function verdictsJson(links: NewLinks['links']): string {
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
  return new DomainError('idempotency_key_in_use', 'Another request with this Idempotency-Key is running.', {
    retryAfterSeconds: 1,
    cause,
  });
}

interface Updated {
  readonly id: string;
  readonly current: Link;
  readonly decision: Decision;
  readonly traceparent: string | undefined;
}

/** Locks links in the order of their slugs, so that two callers with the same links cannot deadlock. */
export function lockLinks(tx: Transaction, slugs: readonly string[]): Promise<LinkRow[]> {
  const sql = `SELECT ${LINK_COLUMNS} FROM links WHERE slug = ANY($1::text[]) ORDER BY slug FOR UPDATE`;
  return rows(tx, sql, [slugs]);
}

async function updateLinks(tx: Transaction, updates: readonly UpdateOfLink[]): Promise<readonly Updated[]> {
  const bySlug = new Map(updates.map((update) => [update.slug, update]));
  const linkRows = await lockLinks(tx, [...bySlug.keys()]);
  const histories = await historiesOf(tx, linkRows);
  const results = linkRows.map((row): Updated => {
    const current = linkOf(row);
    const { decide, traceparent } = bySlug.get(row.slug)!;
    return { id: row.id, current, decision: decide(current, histories.get(row.id)!) ?? {}, traceparent };
  });
  const changes = results.flatMap(({ id, decision: { link } }) => (link === undefined ? [] : [{ id, link }]));
  if (changes.length > 0) await storeLinks(tx, changes);
  await queueEvents(
    tx,
    results.flatMap(({ decision: { event }, traceparent }) => (event === undefined ? [] : [{ event, traceparent }])),
  );
  await storeNotesOf(tx, results);
  return results;
}

/** Reads the histories of locked links. No other transaction can change them until this one ends. */
async function historiesOf(
  tx: Transaction,
  links: readonly Pick<LinkRow, 'id'>[],
): Promise<ReadonlyMap<string, LinkHistory>> {
  const linkRows = await rows<LinkHistory & { readonly id: string }>(tx, HISTORY, [links.map(({ id }) => id)]);
  // JSON has times as text.
  const dated = <T extends { readonly at: Date }>(entries: readonly T[]) =>
    entries.map((entry) => ({ ...entry, at: new Date(entry.at) }));
  return new Map(
    linkRows.map(({ id, verdicts, reviews }) => [id, { verdicts: dated(verdicts), reviews: dated(reviews) }]),
  );
}

const CHANGEABLE = LINK_FIELDS.filter((field) => !FIXED_LINK_FIELDS.includes(field)).map(columnOf);
const STORE = `
UPDATE links SET ${CHANGEABLE.map((column) => `${column} = n.${column}`).join(', ')}
FROM json_populate_recordset(NULL::links, $1) AS n WHERE links.id = n.id`;

export async function storeLinks(
  tx: Transaction,
  changed: readonly { readonly id: string; readonly link: Link }[],
): Promise<void> {
  const linkRows = changed.map(({ id, link }) => ({ id, ...rowOf(link) }));
  await tx.query(STORE, [JSON.stringify(linkRows)]);
}

/** Queues events in this order. An event without its own trace gets the current one. */
export async function queueEvents(
  tx: Transaction,
  events: readonly { readonly event: LinkEvent; readonly traceparent?: string | undefined }[],
): Promise<void> {
  if (events.length === 0) return;
  await tx.query(
    `INSERT INTO outbox (key, value, traceparent)
     SELECT key, value, trace
     FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS n (key, value, trace, place) ORDER BY place`,
    [
      events.map(({ event }) => event.slug),
      events.map(({ event }) => LINKS.encode(event)),
      events.map((each) => each.traceparent ?? traceparent() ?? null),
    ],
  );
}

async function storeNotesOf(tx: Transaction, updated: readonly Updated[]): Promise<void> {
  const verdicts = [];
  const reviews = [];
  const audit = [];
  for (const { id, current, decision } of updated) {
    const { link = current, note } = decision;
    if (note === undefined) continue;
    const { at } = note;
    if (note.kind === 'verdict') verdicts.push({ link_id: id, at, generation: note.generation, ...note.verdict });
    else reviews.push({ link_id: id, at, decision: note.decision, cleared: note.cleared });
    audit.push(...(note.audit?.(link) ?? []));
  }
  if (verdicts.length > 0) await tx.query(KEEP_VERDICTS, [JSON.stringify(verdicts)]);
  if (reviews.length > 0) await tx.query(KEEP_REVIEWS, [JSON.stringify(reviews)]);
  await storeNotes(tx, audit);
}

const KEEP_VERDICTS = `
INSERT INTO link_verdicts (link_id, generation, outcome, threat_type, reasons, at)
SELECT link_id, generation, outcome, threat_type, reasons, at FROM json_populate_recordset(NULL::link_verdicts, $1)`;

const KEEP_REVIEWS = `
INSERT INTO link_reviews (link_id, decision, cleared, at)
SELECT link_id, decision, cleared, at FROM json_populate_recordset(NULL::link_reviews, $1)`;

/** An index finds the few rows of each link. The rules of evidence read them: libs/domain/src/evidence.ts. */
const HISTORY = `
SELECT l.id,
  (SELECT coalesce(json_agg(json_build_object('outcome', outcome, 'reasons', reasons, 'at', at) ORDER BY id), '[]')
   FROM link_verdicts WHERE link_id = l.id) AS verdicts,
  (SELECT coalesce(json_agg(json_build_object('decision', decision, 'cleared', cleared, 'at', at) ORDER BY id), '[]')
   FROM link_reviews WHERE link_id = l.id) AS reviews
FROM unnest($1::bigint[]) AS l (id)`;

/**
 * Becoming flagged or revoked is a change. A revocation is the last one, and a flag has its verdict, so that an edit of
 * a flagged link does not count.
 */
const CHANGED_SINCE = `
SELECT (SELECT count(*)::integer FROM links WHERE owner_id = $1 AND created_at >= $2) AS created,
  count(*) FILTER (WHERE status = 'flagged' AND EXISTS (
    SELECT FROM link_verdicts v WHERE v.link_id = links.id AND v.outcome = 'flagged' AND v.at >= $2
  ))::integer AS flagged,
  count(*) FILTER (WHERE status = 'revoked')::integer AS revoked
FROM links WHERE owner_id = $1 AND updated_at >= $2`;

const ENDED = `SELECT slug FROM links WHERE ends_at <= $1 AND status <> 'revoked' ORDER BY ends_at LIMIT $2`;

const FACETS = `
SELECT count(*) FILTER (WHERE status = 'active')::integer AS active,
  count(*) FILTER (WHERE status = 'flagged')::integer AS flagged,
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

/** A review comes after the verdict that it is about, even within the same millisecond. */
const VERDICTS = `
SELECT at, source, outcome, threat_type, reasons, generation FROM (
  SELECT v.at, CASE WHEN v.reasons -> 0 ->> 'rule' = 'take-down' THEN 'take_down' ELSE 'scan' END AS source,
    v.outcome, v.threat_type, v.reasons, v.generation, 0 AS last, v.id
  FROM link_verdicts v JOIN links l ON l.id = v.link_id WHERE l.slug = $1
  UNION ALL
  SELECT r.at, 'review', CASE r.decision WHEN 'clear' THEN 'cleared' ELSE 'kept' END, NULL, '[]', NULL, 1, r.id
  FROM link_reviews r JOIN links l ON l.id = r.link_id WHERE l.slug = $1
) decided ORDER BY at DESC, last DESC, id DESC LIMIT 10`;
