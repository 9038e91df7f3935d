import type { ClickHouseClient } from '@clickhouse/client';
import type { DependencyState } from '@waypost/telemetry';

/** Checks that ClickHouse answers a query before `signal` aborts. Never rejects. */
export async function clickHouseHealth(client: ClickHouseClient, signal?: AbortSignal): Promise<DependencyState> {
  const result = await client.ping({ select: true, ...(signal && { abort_signal: signal }) });
  return result.success ? { ok: true } : { ok: false, detail: result.error.message };
}
