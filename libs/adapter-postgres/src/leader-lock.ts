import type { PoolClient } from './database.ts';

/**
 * A host that is gone, or a process that stands still, does not end its session, and the server's own probes of a
 * connection begin after two hours. A leader that lives says something every second or two.
 */
export const SILENT_MS = 15_000;

/**
 * Whether the session of this connection is the leader now: it holds the advisory lock until the connection is closed,
 * or nothing was asked over it for `silentMs`, when the server ends it. Never give such a connection back to the pool.
 */
export async function becomesLeader(client: PoolClient, lock: number, silentMs: number): Promise<boolean> {
  const { rows: locks } = await client.query('SELECT pg_try_advisory_lock($1) AS mine', [lock]);
  if (!(locks as { mine: boolean }[])[0]?.mine) return false;
  await client.query(`SET idle_session_timeout = ${silentMs}`);
  return true;
}
