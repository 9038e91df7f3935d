import type { OutboxRow } from '@waypost/ports';
import { becomesLeader, connection, type Database, type PoolClient, SILENT_MS } from '@waypost/postgres';
import { type BackOff, backOffMs, Pause, within } from '@waypost/resilience';

export const OUTBOX_CHANNEL = 'waypost_outbox';
const LEADER_LOCK = 0x6f75_7462; // "outb"
const BATCH = 500;
/** A NOTIFY may be lost with its connection, so the leader also reads the table at this interval. */
const POLL_MS = 1_000;
const BACK_OFF: BackOff = { first: 200, most: 10_000 };

const TAKE = `SELECT id, key, value, traceparent FROM outbox ORDER BY id LIMIT ${BATCH}`;
type StoredRow = Omit<OutboxRow, 'headers'> & { readonly traceparent: string | null };

function outboxRow({ traceparent, ...row }: StoredRow): OutboxRow {
  return traceparent === null ? row : { ...row, headers: { traceparent } };
}

/** Sends the rows of the outbox in order until it is stopped. Only the process that holds the advisory lock does it. */
export function leadOutbox(
  db: Database,
  relay: (rows: readonly OutboxRow[]) => Promise<void>,
  onError: (error: unknown) => void,
  silentMs = SILENT_MS,
): { stop(): Promise<void> } {
  const pause = new Pause();
  let stopped = false;
  let failures = 0;

  async function run(): Promise<void> {
    while (!stopped) {
      await connect().catch((error: unknown) => {
        failures += 1;
        if (!stopped) onError(error);
      });
      if (!stopped) pause.reset();
      await pause.for(backOffMs(BACK_OFF, failures + 1));
    }
  }

  async function connect(): Promise<void> {
    const client = await connection(db);
    let alive = true;
    let released = false;
    const died = () => {
      alive = false;
      if (!released) pause.wake();
    };
    client.on('notification', () => pause.wake());
    client.on('error', died);
    client.on('end', died);
    const goesOn = () => alive && !stopped;
    try {
      await client.query(`LISTEN ${OUTBOX_CHANNEL}`);
      await becomeLeader(client, goesOn);
      await lead(client, goesOn);
    } finally {
      // Closing the connection releases the lock and ends the LISTEN in any case.
      released = true;
      client.release(true);
    }
  }

  async function becomeLeader(client: PoolClient, goesOn: () => boolean): Promise<void> {
    while (goesOn()) {
      pause.reset();
      if (await becomesLeader(client, LEADER_LOCK, silentMs)) return;
      await pause.for(POLL_MS);
    }
  }

  async function lead(client: PoolClient, goesOn: () => boolean): Promise<void> {
    while (goesOn()) {
      // A commit after this line ends the next pause at once.
      pause.reset();
      const { rows: records } = await client.query(TAKE);
      const batch = (records as StoredRow[]).map(outboxRow);
      if (batch.length > 0) {
        await relayOver(client, batch);
        await client.query('DELETE FROM outbox WHERE id = ANY($1::bigint[])', [batch.map(({ id }) => id)]);
      }
      failures = 0;
      if (batch.length < BATCH) await pause.for(POLL_MS);
    }
  }

  /** A statement every second shows that the leader works. Otherwise another would start, and send the same rows. */
  async function relayOver(client: PoolClient, batch: readonly OutboxRow[]): Promise<void> {
    const relayed = relay(batch).then(() => true);
    while (!(await within(relayed, POLL_MS, false))) await client.query('SELECT 1').catch(() => undefined);
  }

  const running = run();
  return {
    stop: async () => {
      stopped = true;
      pause.wake();
      await running;
    },
  };
}
