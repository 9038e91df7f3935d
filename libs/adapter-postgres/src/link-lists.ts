/** Pages of an account's links (decision 0040). */
import type { Link } from '@waypost/domain';
import type { LinkStore, ListQuery } from '@waypost/ports';
import type { DataSource } from 'typeorm';
import { binding, rows } from './database.ts';

/** `id`: bigint as a decimal string. */
export type LinkRow = Link & { readonly id: string };

export const LINK_COLUMNS = `id, slug, owner_id AS "ownerId", destination_url AS "destinationUrl", status, threat_type AS "threatType",
  take_down_reason AS "takeDownReason", tags, created_at AS "createdAt", updated_at AS "updatedAt", revoked_at AS "revokedAt", scanned_at AS "scannedAt",
  scan_generation AS "scanGeneration", deep_scan AS "deepScan", preview_first AS "previewFirst", version`;

export function linkOf({ id: _, ...link }: LinkRow): Link {
  return link;
}

type Page = Awaited<ReturnType<LinkStore['list']>>;
type ListRow = { readonly total: number } & (LinkRow | { readonly id: null });

export async function listLinks(db: DataSource, ownerId: string, query: ListQuery): Promise<Page> {
  const { page, limit, sort, order, status, tags, search } = query;
  // They are in no link, PostgreSQL refuses one of them, and another separates slug and destination.
  if (search !== undefined && /\p{Cc}/u.test(search)) return { links: [], total: 0 };
  const { values, bind } = binding();
  const conditions = [`owner_id = ${bind(ownerId)}`];
  if (status !== undefined) conditions.push(`status = ${bind(status)}`);
  if (tags.length > 0) conditions.push(`tags @> ${bind(tags)}::text[]`);
  // strpos, not LIKE: nothing in the text is a pattern.
  if (search !== undefined) conditions.push(`strpos(search_text, lower(${bind(search)} COLLATE pg_c_utf8)) > 0`);
  // What only the rows know is looked for once, to count and to sort. Otherwise the indexes have the count and the order.
  const materialized = tags.length > 0 || search !== undefined ? 'MATERIALIZED' : 'NOT MATERIALIZED';
  const found = await rows<ListRow>(
    db,
    `WITH matching AS ${materialized} (SELECT slug, ${sort} AS sorted FROM links WHERE ${conditions.join(' AND ')}),
     page AS (
       SELECT slug FROM matching ORDER BY sorted ${order}, slug LIMIT ${bind(limit)} OFFSET ${bind((page - 1) * limit)}
     )
     SELECT total, ${LINK_COLUMNS}
     FROM (SELECT count(*)::integer AS total FROM matching) AS counted LEFT JOIN (page JOIN links USING (slug)) ON true
     ORDER BY ${sort} ${order}, slug`,
    values,
  );
  return {
    links: found.flatMap(({ total: _, ...row }) => (row.id === null ? [] : [linkOf(row)])),
    total: found[0]!.total,
  };
}
