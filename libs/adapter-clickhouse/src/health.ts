import type { ClickHouseClient } from '@clickhouse/client';

export interface ClickHouseHealth {
  readonly ok: boolean;
  readonly detail?: string;
}

/** Checks that ClickHouse answers a query before `signal` aborts. Never rejects. */
export async function clickHouseHealth(client: ClickHouseClient, signal?: AbortSignal): Promise<ClickHouseHealth> {
  const result = await client.ping({ select: true, ...(signal && { abort_signal: signal }) });
  return result.success ? { ok: true } : { ok: false, detail: result.error.message };
}
