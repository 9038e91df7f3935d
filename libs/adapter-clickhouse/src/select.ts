import type { ClickHouseClient } from '@clickhouse/client';
import { unavailable } from '@waypost/domain';
import { inClientSpan } from '@waypost/telemetry';

/**
 * ClickHouse must stop a slow query before the API's own time limit of 4.5 s. Without one shard of a cluster it must
 * fail: figures of the others would look whole.
 */
export const SELECT_SETTINGS = 'max_execution_time = 4, skip_unavailable_shards = 0';

interface Query {
  readonly query: string;
  readonly query_params: Record<string, unknown>;
  readonly signal?: AbortSignal | undefined;
  /** The message of the error if the store does not answer. */
  readonly failure: string;
}

/** Rejects with `unavailable`, whatever happened. */
export async function select<Row>(
  client: ClickHouseClient,
  { query, query_params, signal, failure }: Query,
): Promise<readonly Row[]> {
  try {
    const attributes = { 'db.system.name': 'clickhouse', 'db.operation.name': 'SELECT' };
    return await inClientSpan('SELECT', attributes, async () => {
      const options = { query, query_params, format: 'JSONEachRow', ...(signal && { abort_signal: signal }) } as const;
      return (await client.query(options)).json<Row>();
    });
  } catch (error) {
    throw unavailable(failure, error);
  }
}
