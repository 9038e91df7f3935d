import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client';
import { unavailable } from '@waypost/domain';
import type { ClickPurge } from '@waypost/ports';
import { CLICKS_TABLE, identifier } from './schema.ts';

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
  const ofAccount = 'WHERE account_id = {account:UUID}';
  return {
    async purge(accountId) {
      const query_params = { account: accountId };
      try {
        // A mutation is expensive, and most passes have nothing to delete.
        const query = `SELECT 1 FROM ${table} ${ofAccount} LIMIT 1`;
        const response = await client.query({ query, query_params, format: 'JSONEachRow' });
        if ((await response.json()).length === 0) return;
        await client.command({
          query: `ALTER TABLE ${table} DELETE ${ofAccount} SETTINGS mutations_sync = 0`,
          query_params,
        });
      } catch (error) {
        if (error instanceof ClickHouseError && REFUSED.has(error.type ?? '')) {
          if (!refused) onRefused(error);
          refused = true;
          return;
        }
        throw unavailable('The click store is unavailable. Try again later.', error);
      }
    },
  };
}
