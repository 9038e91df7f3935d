/** Lists an account's links page by page (decision 0040). */
import { LINK_FIELDS, type Link } from '@waypost/domain';
import { binding, type Database, rows } from '@waypost/postgres';
import { columnOf } from '../platform/columns.ts';
import type { LinkPlace, LinkStore, ListQuery } from './link-store.port.ts';

/** `id` is a bigint as a decimal string. */
export type LinkRow = Link & { readonly id: string };

export const LINK_COLUMNS = ['id', ...LINK_FIELDS.map((field) => `${columnOf(field)} AS "${field}"`)].join(', ');

export function linkOf({ id: _, ...link }: LinkRow): Link {
  return link;
}

type Page = Awaited<ReturnType<LinkStore['list']>>;
type ListRow = { readonly total: number } & (LinkRow | { readonly id: null });

/** Links without a value come last in either order. */
const NULLABLE: readonly ListQuery['sort'][] = ['title', 'ends_at'];

export async function listLinks(db: Database, ownerId: string, query: ListQuery): Promise<Page> {
  const { page, limit, order, status, tags, search, ranked } = query;
  // No link contains control characters, but line ends in its note. PostgreSQL refuses NUL, and `search_text` has line
  // ends between the fields.
  if (search !== undefined && /\p{Cc}/u.test(search)) return { links: [], total: 0 };
  const { values, bind } = binding();
  const conditions = [`owner_id = ${bind(ownerId)}`];
  if (status !== undefined) conditions.push(`status = ${bind(status)}`);
  if (tags.length > 0) conditions.push(`tags @> ${bind(tags)}::text[]`);
  // `strpos` searches the text literally, while LIKE would read `%` and `_` as patterns.
  if (search !== undefined) conditions.push(`strpos(search_text, lower(${bind(search)} COLLATE pg_c_utf8)) > 0`);
  const sort = ranked === undefined ? query.sort : `-array_position(${bind(ranked)}::text[], slug)`;
  const hasNulls = ranked === undefined && NULLABLE.includes(query.sort);
  const direction = hasNulls ? `${order} NULLS LAST` : order;
  if (ranked !== undefined) conditions.push(`slug = ANY(${bind(ranked)}::text[])`);
  // These filters read the rows, so their result is kept for both count and order. Other lists need only indexes.
  const materialized = tags.length > 0 || search !== undefined ? 'MATERIALIZED' : 'NOT MATERIALIZED';
  const links = await rows<ListRow>(
    db,
    `WITH matching AS ${materialized} (SELECT slug, ${sort} AS sorted FROM links WHERE ${conditions.join(' AND ')}),
     page AS (
       SELECT slug FROM matching ORDER BY sorted ${direction}, slug
       LIMIT ${bind(limit)} OFFSET ${bind((page - 1) * limit)}
     )
     SELECT total, ${LINK_COLUMNS}
     FROM (SELECT count(*)::integer AS total FROM matching) AS counted LEFT JOIN (page JOIN links USING (slug)) ON true
     ORDER BY ${sort} ${direction}, slug`,
    values,
  );
  return {
    links: links.flatMap(({ total: _, ...row }) => (row.id === null ? [] : [linkOf(row)])),
    total: links[0]!.total,
  };
}

/** Returns the query for one page of an account's links. The order of creation has an index. */
export const linksAfter = (accountId: string, after: LinkPlace | undefined, limit: number) => ({
  text: `SELECT ${LINK_COLUMNS} FROM links
    WHERE owner_id = $1 AND (created_at, slug) > (coalesce($2, '-infinity'::timestamptz), $3)
    ORDER BY created_at, slug LIMIT $4`,
  values: [accountId, after?.createdAt ?? null, after?.slug ?? '', limit],
});
