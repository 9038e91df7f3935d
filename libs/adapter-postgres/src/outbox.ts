import type { Topic } from '@waypost/domain';
import type { Outbox, OutboxRow } from '@waypost/ports';
import type { DataSource, QueryRunner } from 'typeorm';
import { rows } from './database.ts';

const CHANNEL = 'waypost_outbox';
const LEADER_LOCK = 0x6f75_7462; // "outb"
const BATCH = 500;
/** NOTIFY is a hint, and may be lost with its connection: the table is looked at this often all the same. */
const POLL_MS = 1_000;
const BACK_OFF_MAX_MS = 10_000;
/** NOTIFY serialises the commits that carry it, so it goes out beside the transaction, and not for each one. */
const WAKE_EVERY_MS = 50;

const lastWake = new WeakMap<DataSource, number>();

/** Tells the leader, in whatever process it is, that there are new rows. */
export function wakeOutbox(db: DataSource): void {
  const now = performance.now();
  if (now - (lastWake.get(db) ?? Number.NEGATIVE_INFINITY) < WAKE_EVERY_MS) return;
  lastWake.set(db, now);
  // Late enough to cover the rows of the next moments too; a failure costs a poll's delay.
  setTimeout(() => {
    if (db.isInitialized) db.query(`NOTIFY ${CHANNEL}`).catch(() => undefined);
  }, WAKE_EVERY_MS).unref();
}

interface Notifier {
  on(event: 'notification' | 'error' | 'end', listener: () => void): void;
  query(sql: string): Promise<unknown>;
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
      let wake: () => void = () => undefined;
      const pause = (ms: number) =>
        new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });

      const lead = async (runner: QueryRunner, alive: () => boolean) => {
        while (!stopped && alive()) {
          const [lock] = await runner.query('SELECT pg_try_advisory_lock($1) AS mine', [LEADER_LOCK]);
          if (lock.mine) break;
          await pause(POLL_MS);
        }
        while (!stopped && alive()) {
          const batch: { id: string; topic: Topic; key: string; value: string }[] = await runner.query(
            'SELECT id, topic, key, value FROM outbox ORDER BY id LIMIT $1',
            [BATCH],
          );
          if (batch.length > 0) {
            await relay(batch satisfies OutboxRow[]);
            await runner.query('DELETE FROM outbox WHERE id = ANY($1::bigint[])', [batch.map(({ id }) => id)]);
          }
          if (batch.length < BATCH) await pause(POLL_MS);
        }
      };

      const run = async () => {
        let failures = 0;
        while (!stopped) {
          const runner = db.createQueryRunner();
          let alive = true;
          try {
            const client = (await runner.connect()) as Notifier;
            client.on('notification', () => wake());
            client.on('end', () => {
              alive = false;
              wake();
            });
            await client.query(`LISTEN ${CHANNEL}`);
            failures = 0;
            await lead(runner, () => alive);
          } catch (error) {
            failures += 1;
            if (!stopped) onError(error);
          } finally {
            // The lock and the LISTEN must not stay behind on a pooled connection.
            await runner.query('SELECT pg_advisory_unlock_all()').catch(() => undefined);
            await runner.query('UNLISTEN *').catch(() => undefined);
            await runner.release().catch(() => undefined);
          }
          if (!stopped) await pause(Math.min(BACK_OFF_MAX_MS, 200 * 2 ** failures) * (0.5 + Math.random() / 2));
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
