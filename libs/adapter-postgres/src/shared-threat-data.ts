import type { SharedThreatData } from '@waypost/ports';
import type { DataSource, EntityManager } from 'typeorm';
import { connection, inTransaction, type PoolClient, rows, translating } from './database.ts';
import { becomesLeader, SILENT_MS } from './leader-lock.ts';

const LEADER_LOCK = 0x7363_616e; // "scan"
/** A statement has two seconds. */
const PART_BYTES = 1024 * 1024;

const FIRST = `
INSERT INTO scanner_state (version, state) SELECT 1, $2 WHERE $1::bigint = 0
ON CONFLICT DO NOTHING RETURNING version::integer`;
const NEXT = `
UPDATE scanner_state SET version = version + 1, state = $2 WHERE version = $1 RETURNING version::integer`;

/**
 * `database` may throw while the database is not available; each method then rejects with that error. A leader that
 * does not ask for `silentMs` whether it leads lets another one lead.
 */
export function postgresSharedThreatData(database: () => DataSource, silentMs = SILENT_MS): SharedThreatData {
  let leader: PoolClient | undefined;

  function resign(): void {
    const client = leader;
    leader = undefined;
    // Closed, not reused: that releases the lock.
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
    version: async () => {
      const [row] = await rows<{ version: number }>(database(), 'SELECT version::integer FROM scanner_state', []);
      return row?.version ?? 0;
    },
    read: async () => {
      const select = 'SELECT version::integer, state FROM scanner_state';
      const [row] = await rows<{ version: number; state: string }>(database(), select, []);
      return row;
    },
    content: async (digest) => {
      const select = 'SELECT content FROM scanner_files WHERE digest = $1 AND part = $2';
      const parts: Buffer[] = [];
      for (;;) {
        const [row] = await rows<{ content: Buffer }>(database(), select, [digest, parts.length]);
        if (row === undefined) return parts.length === 0 ? undefined : Buffer.concat(parts);
        parts.push(row.content);
      }
    },
    publish: async (expected, state, digests, file) =>
      inTransaction(database(), async (tx) => {
        const [row] = await rows<{ version: number }>(tx, expected === 0 ? FIRST : NEXT, [expected, state]);
        if (row === undefined) return undefined;
        await tx.query('DELETE FROM scanner_files WHERE digest <> ALL($1::text[])', [digests]);
        for (const digest of await missing(tx, digests)) await store(tx, digest, Buffer.from(await file(digest)));
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

async function missing(tx: EntityManager, digests: readonly string[]): Promise<readonly string[]> {
  const select = 'SELECT digest FROM scanner_files WHERE digest = ANY($1::text[]) AND part = 0';
  const stored = new Set((await rows<{ digest: string }>(tx, select, [digests])).map(({ digest }) => digest));
  return digests.filter((digest) => !stored.has(digest));
}

async function store(tx: EntityManager, digest: string, content: Buffer): Promise<void> {
  for (let part = 0; part === 0 || part * PART_BYTES < content.length; part++) {
    const bytes = content.subarray(part * PART_BYTES, (part + 1) * PART_BYTES);
    await tx.query('INSERT INTO scanner_files (digest, part, content) VALUES ($1, $2, $3)', [digest, part, bytes]);
  }
}
