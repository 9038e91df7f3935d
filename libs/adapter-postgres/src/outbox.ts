import type { Outbox, OutboxRow } from '@waypost/ports';
import { type BackOff, backOffMs } from '@waypost/resilience';
import type { DataSource } from 'typeorm';
import { connection, type PoolClient, rows } from './database.ts';

const CHANNEL = 'waypost_outbox';
const LEADER_LOCK = 0x6f75_7462; // "outb"
const BATCH = 500;
/** NOTIFY is only a hint, and may be lost with its connection: so the table is polled at this interval as well. */
const POLL_MS = 1_000;
const BACK_OFF: BackOff = { first: 200, most: 10_000 };
/** NOTIFY serialises the commits that carry it, so we send it outside the transaction, and not for every one. */
const WAKE_EVERY_MS = 50;

const TAKE = `SELECT id, topic, key, value, traceparent FROM outbox ORDER BY id LIMIT ${BATCH}`;
type StoredRow = Omit<OutboxRow, 'headers'> & { readonly traceparent: string | null };

function outboxRow({ traceparent, ...row }: StoredRow): OutboxRow {
  return traceparent === null ? row : { ...row, headers: { traceparent } };
}

const lastWake = new WeakMap<DataSource, number>();

/** Notifies the leader, in whichever process it is, of new rows. */
export function wakeOutbox(db: DataSource): void {
  const now = performance.now();
  if (now - (lastWake.get(db) ?? Number.NEGATIVE_INFINITY) < WAKE_EVERY_MS) return;
  lastWake.set(db, now);
  // Late enough to cover the rows of the next moments, too; if it fails, the rows wait for the next poll.
  setTimeout(() => {
    if (db.isInitialized) db.query(`NOTIFY ${CHANNEL}`).catch(() => undefined);
  }, WAKE_EVERY_MS).unref();
}

export function postgresOutbox(db: DataSource, onError: (error: unknown) => void): Outbox {
  return {
    backlog: async () => {
      const [row] = await rows<{ n: string; age: string | null }>(
        db,
        `SELECT count(*) AS n, extract(epoch FROM now() - min(created_at)) * 1000 AS age FROM outbox`,
        [],
      );
      return { rows: Number(row?.n ?? 0), oldestMs: Math.max(0, Number(row?.age ?? 0)) };
    },
    drain: async (relay) => {
      let stopped = false;
      let woken = false;
      let endPause: () => void = () => undefined;
      const wake = () => {
        woken = true;
        endPause();
      };
      /** Returns at once if `wake` was called since `woken` was last reset. */
      const pause = async (ms: number) => {
        if (woken) return;
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          endPause = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      };
      let failures = 0;

      const lead = async (client: PoolClient, alive: () => boolean) => {
        while (!stopped && alive()) {
          woken = false;
          const { rows: locks } = await client.query('SELECT pg_try_advisory_lock($1) AS mine', [LEADER_LOCK]);
          if ((locks as { mine: boolean }[])[0]?.mine) break;
          await pause(POLL_MS);
        }
        while (!stopped && alive()) {
          // Commits from here on wake us again.
          woken = false;
          const { rows: found } = await client.query(TAKE);
          const batch = (found as StoredRow[]).map(outboxRow);
          if (batch.length > 0) {
            await relay(batch);
            await client.query('DELETE FROM outbox WHERE id = ANY($1::bigint[])', [batch.map(({ id }) => id)]);
          }
          failures = 0;
          if (batch.length < BATCH) await pause(POLL_MS);
        }
      };

      const run = async () => {
        while (!stopped) {
          let client: PoolClient | undefined;
          let alive = true;
          let released = false;
          const died = () => {
            alive = false;
            if (!released) wake();
          };
          try {
            client = await connection(db);
            client.on('notification', wake);
            client.on('error', died);
            client.on('end', died);
            await client.query(`LISTEN ${CHANNEL}`);
            await lead(client, () => alive);
          } catch (error) {
            failures += 1;
            if (!stopped) onError(error);
          } finally {
            // Closed, not reused: that releases the lock and the LISTEN, however far we got.
            released = true;
            client?.release(true);
          }
          woken = stopped;
          await pause(backOffMs(BACK_OFF, failures + 1));
        }
      };
      const running = run();
      return {
        stop: async () => {
          stopped = true;
          wake();
          await running;
        },
      };
    },
  };
}
