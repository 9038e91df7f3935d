import type { PoolClient } from './database.ts';

/**
 * The session of a frozen process or a lost host stays open, and TCP notices it only after two hours. A working leader
 * sends something every second or two.
 */
export const SILENT_MS = 15_000;

/**
 * Resolves to true if this connection is now the leader. The lock ends with the connection, or when it is silent for
 * `silentMs`. Never return such a connection to the pool.
 */
export async function becomesLeader(client: PoolClient, lock: number, silentMs: number): Promise<boolean> {
  const { rows: locks } = await client.query('SELECT pg_try_advisory_lock($1) AS mine', [lock]);
  if (!(locks as { mine: boolean }[])[0]?.mine) return false;
  await client.query(`SET idle_session_timeout = ${silentMs}`);
  return true;
}
