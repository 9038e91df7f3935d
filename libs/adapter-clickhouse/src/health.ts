import type { ClickHouseClient } from '@clickhouse/client';

export interface ClickHouseHealth {
  readonly ok: boolean;
  readonly detail?: string;
}

/** For a readiness check: the engine answers a query. Never rejects. */
export async function clickHouseHealth(client: ClickHouseClient): Promise<ClickHouseHealth> {
  const result = await client.ping({ select: true });
  return result.success ? { ok: true } : { ok: false, detail: result.error.message };
}
