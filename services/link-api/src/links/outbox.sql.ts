import type { Outbox } from '@waypost/ports';
import { type Database, rows } from '@waypost/postgres';
import { leadOutbox, OUTBOX_CHANNEL } from './outbox-leader.sql.ts';

/** Commits with a NOTIFY run one after the other, so it is sent outside the transaction and not for every commit. */
const WAKE_EVERY_MS = 50;

export function outboxWaker(db: Database): () => void {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - last < WAKE_EVERY_MS) return;
    last = now;
    // One NOTIFY serves all rows added during the delay. If it fails, the rows wait for the next poll.
    setTimeout(() => {
      if (!db.pool.ending) db.query(`NOTIFY ${OUTBOX_CHANNEL}`).catch(() => undefined);
    }, WAKE_EVERY_MS).unref();
  };
}

export function postgresOutbox(db: Database, onError: (error: unknown) => void, silentMs?: number): Outbox {
  return {
    backlog: async () => {
      const [row] = await rows<{ n: string; age: string | null }>(
        db,
        `SELECT count(*) AS n, extract(epoch FROM now() - min(created_at)) * 1000 AS age FROM outbox`,
        [],
      );
      return { rows: Number(row?.n ?? 0), oldestMs: Math.max(0, Number(row?.age ?? 0)) };
    },
    drain: async (relay) => leadOutbox(db, relay, onError, silentMs),
  };
}
