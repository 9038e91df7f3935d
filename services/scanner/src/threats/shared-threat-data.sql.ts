import {
  becomesLeader,
  connection,
  type Database,
  inTransaction,
  type PoolClient,
  rows,
  SILENT_MS,
  translating,
} from '@waypost/postgres';
import type { SharedThreatData } from './shared-threat-data.port.ts';

const LEADER_LOCK = 0x7363_616e; // "scan"

const FIRST = `
INSERT INTO scanner_state (version, state) SELECT 1, $2 WHERE $1::bigint = 0
ON CONFLICT DO NOTHING RETURNING version::integer`;
const NEXT = `
UPDATE scanner_state SET version = version + 1, state = $2 WHERE version = $1 RETURNING version::integer`;

/** `database` may throw while it is not available; methods then reject. A leader loses its place after `silentMs`. */
export function postgresSharedThreatData(database: () => Database, silentMs = SILENT_MS): SharedThreatData {
  let leader: PoolClient | undefined;

  function resign(): void {
    const client = leader;
    leader = undefined;
    // A closed connection releases the lock.
    client?.release(true);
  }

  async function isLeader(): Promise<boolean> {
    if (leader !== undefined) {
      await leader.query('SELECT 1');
      return true;
    }
    const client = await connection(database());
    leader = client;
    if (await becomesLeader(client, LEADER_LOCK, silentMs)) return true;
    leader = undefined;
    client.release();
    return false;
  }

  return {
    read: async (knownVersion) => {
      const select = `
        SELECT version::integer, CASE WHEN version <> $1 THEN state END AS state FROM scanner_state`;
      const [row] = await rows<{ version: number; state: string | null }>(database(), select, [knownVersion]);
      return { version: row?.version ?? 0, ...(row?.state == null ? {} : { state: row.state }) };
    },
    file: async (name) => {
      const select = 'SELECT content FROM scanner_files WHERE name = $1';
      const [row] = await rows<{ content: Buffer }>(database(), select, [name]);
      return row?.content;
    },
    publish: async (expected, state, files, content) =>
      inTransaction(database(), async (tx) => {
        const [row] = await rows<{ version: number }>(tx, expected === 0 ? FIRST : NEXT, [expected, state]);
        if (row === undefined) return undefined;
        await tx.query('DELETE FROM scanner_files WHERE name <> ALL($1::text[])', [files]);
        const fileRows = await rows<{ name: string }>(tx, 'SELECT name FROM scanner_files', []);
        for (const name of files) {
          if (fileRows.some((file) => file.name === name)) continue;
          const bytes = await content(name);
          if (bytes !== undefined)
            await tx.query('INSERT INTO scanner_files (name, content) VALUES ($1, $2)', [name, Buffer.from(bytes)]);
        }
        return row.version;
      }),
    leads: async () =>
      translating(
        isLeader().catch((error: unknown) => {
          resign();
          throw error;
        }),
      ),
    resign: async () => resign(),
  };
}
