import type { OutboxRow } from '@waypost/ports';
import { becomesLeader, connection, type PoolClient, SILENT_MS } from '@waypost/postgres';
import { type BackOff, backOffMs, Pause, within } from '@waypost/resilience';
import type { DataSource } from 'typeorm';

export const OUTBOX_CHANNEL = 'waypost_outbox';
const LEADER_LOCK = 0x6f75_7462; // "outb"
const BATCH = 500;
/** A NOTIFY may be lost with its connection, so the leader also reads the table at this interval. */
const POLL_MS = 1_000;
const BACK_OFF: BackOff = { first: 200, most: 10_000 };

const TAKE = `SELECT id, topic, key, value, traceparent FROM outbox ORDER BY id LIMIT ${BATCH}`;
type StoredRow = Omit<OutboxRow, 'headers'> & { readonly traceparent: string | null };

function outboxRow({ traceparent, ...row }: StoredRow): OutboxRow {
  return traceparent === null ? row : { ...row, headers: { traceparent } };
}

/** Sends the rows of the outbox in order. Only the process that holds the advisory lock does it. */
export class OutboxLeader {
  readonly #db: DataSource;
  readonly #relay: (rows: readonly OutboxRow[]) => Promise<void>;
  readonly #onError: (error: unknown) => void;
  readonly #silentMs: number;
  readonly #pause = new Pause();
  #stopped = false;
  #failures = 0;

  constructor(
    db: DataSource,
    relay: (rows: readonly OutboxRow[]) => Promise<void>,
    onError: (error: unknown) => void,
    silentMs = SILENT_MS,
  ) {
    this.#db = db;
    this.#relay = relay;
    this.#onError = onError;
    this.#silentMs = silentMs;
  }

  async run(): Promise<void> {
    while (!this.#stopped) {
      await this.#connect().catch((error: unknown) => {
        this.#failures += 1;
        if (!this.#stopped) this.#onError(error);
      });
      if (!this.#stopped) this.#pause.reset();
      await this.#pause.for(backOffMs(BACK_OFF, this.#failures + 1));
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#pause.wake();
  }

  async #connect(): Promise<void> {
    const client = await connection(this.#db);
    let alive = true;
    let released = false;
    const died = () => {
      alive = false;
      if (!released) this.#pause.wake();
    };
    client.on('notification', () => this.#pause.wake());
    client.on('error', died);
    client.on('end', died);
    const goesOn = () => alive && !this.#stopped;
    try {
      await client.query(`LISTEN ${OUTBOX_CHANNEL}`);
      await this.#becomeLeader(client, goesOn);
      await this.#lead(client, goesOn);
    } finally {
      // Closing the connection releases the lock and ends the LISTEN in any case.
      released = true;
      client.release(true);
    }
  }

  async #becomeLeader(client: PoolClient, goesOn: () => boolean): Promise<void> {
    while (goesOn()) {
      this.#pause.reset();
      if (await becomesLeader(client, LEADER_LOCK, this.#silentMs)) return;
      await this.#pause.for(POLL_MS);
    }
  }

  async #lead(client: PoolClient, goesOn: () => boolean): Promise<void> {
    while (goesOn()) {
      // A commit after this line ends the next pause at once.
      this.#pause.reset();
      const { rows: records } = await client.query(TAKE);
      const batch = (records as StoredRow[]).map(outboxRow);
      if (batch.length > 0) {
        await this.#relayOver(client, batch);
        await client.query('DELETE FROM outbox WHERE id = ANY($1::bigint[])', [batch.map(({ id }) => id)]);
      }
      this.#failures = 0;
      if (batch.length < BATCH) await this.#pause.for(POLL_MS);
    }
  }

  /**
   * A statement every second shows that the leader works. Otherwise another process would become the leader and send
   * the same rows.
   */
  async #relayOver(client: PoolClient, batch: readonly OutboxRow[]): Promise<void> {
    const relayed = this.#relay(batch).then(() => true);
    while (!(await within(relayed, POLL_MS, false))) await client.query('SELECT 1').catch(() => undefined);
  }
}
