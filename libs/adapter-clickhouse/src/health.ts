import type { ClickHouseClient } from '@clickhouse/client';

export interface ClickHouseHealth {
  readonly ok: boolean;
  readonly detail?: string;
}

/** For a readiness check: the engine answers a query, unless `signal` says that nobody waits for it. Never rejects. */
export async function clickHouseHealth(client: ClickHouseClient, signal?: AbortSignal): Promise<ClickHouseHealth> {
  const result = await client.ping({ select: true, ...(signal && { abort_signal: signal }) });
  return result.success ? { ok: true } : { ok: false, detail: result.error.message };
}
