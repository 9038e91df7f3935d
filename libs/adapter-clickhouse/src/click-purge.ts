import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client';
import { isSlug, unavailable } from '@waypost/domain';
import type { ClickPurge } from '@waypost/ports';
import { CLICKS_TABLE, identifier } from './schema.ts';

/**
 * A mutation is expensive, so one mutation deletes the clicks of many slugs. With the longest slugs, its text is still
 * below `max_query_size`.
 */
const SLUGS = 4_000;

/** The user lacks the right, or a distributed table has no mutations. A retry would fail in the same way. */
const REFUSED = new Set(['ACCESS_DENIED', 'NOT_IMPLEMENTED']);

/**
 * Deletes by mutations, because a lightweight DELETE only hides rows until a merge, and old months are not merged
 * again. The store runs mutations in the background. If it refuses one, `onRefused` is called once, and the clicks stay
 * until they expire.
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
      const valid = slugs.filter(isSlug);
      try {
        for (let i = 0; i < valid.length; i += SLUGS) {
          const response = await client.query({
            query: `SELECT DISTINCT slug FROM ${table} WHERE slug IN (${listed(valid.slice(i, i + SLUGS))})`,
            format: 'JSONEachRow',
          });
          const clicked = (await response.json<{ slug: string }>()).map(({ slug }) => slug);
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
