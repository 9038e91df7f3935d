import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client';
import { isSlug, unavailable } from '@waypost/domain';
import type { ClickPurge } from '@waypost/ports';
import { CLICKS_TABLE, identifier } from './schema.ts';

/** A mutation rewrites parts, so slugs share one; with the longest slugs its text is below `max_query_size`. */
const SLUGS = 4_000;

/** A user that may not, or a table that cannot, such as a distributed one: the next attempt meets the same. */
const REFUSED = new Set(['ACCESS_DENIED', 'NOT_IMPLEMENTED']);

/**
 * By mutations, which rewrite the parts: a lightweight DELETE would only hide the rows until a merge, and months that get
 * no more writes are not merged again. The store works them off by itself. Where it refuses to, `onRefused` is told once,
 * and clicks go by their age.
 */
export function clickhouseClickPurge(
  client: ClickHouseClient,
  database: string,
  onRefused: (error: unknown) => void,
): ClickPurge {
  let refused = false;
  const table = `${identifier(database)}.${CLICKS_TABLE}`;
  const listed = (slugs: readonly string[]) => slugs.map((slug) => `'${slug}'`).join(',');
  return {
    async purge(slugs) {
      const known = slugs.filter(isSlug);
      try {
        for (let i = 0; i < known.length; i += SLUGS) {
          const found = await client.query({
            query: `SELECT DISTINCT slug FROM ${table} WHERE slug IN (${listed(known.slice(i, i + SLUGS))})`,
            format: 'JSONEachRow',
          });
          const clicked = (await found.json<{ slug: string }>()).map(({ slug }) => slug);
          if (clicked.length === 0) continue;
          await client.command({
            query: `ALTER TABLE ${table} DELETE WHERE slug IN (${listed(clicked)}) SETTINGS mutations_sync = 0`,
          });
        }
      } catch (error) {
        if (error instanceof ClickHouseError && REFUSED.has(error.type ?? '')) {
          if (!refused) onRefused(error);
          refused = true;
          return;
        }
        throw unavailable('the click store cannot delete clicks now', error);
      }
    },
  };
}
