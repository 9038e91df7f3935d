/**
 * Sends the click log to the bus in order, one batch at a time. The cursor moves after the acknowledgement. After a
 * crash some clicks may be sent again, with the same ids.
 */
import { CLICKS, type ClickEvent, clickIdOf } from '@waypost/domain';
import type { Bus, Encoded } from '@waypost/ports';
import { backOffMs, isNoteworthy, rest, within } from '@waypost/resilience';
import { errorFields, type Logger, recordSpans, traceparentOfUuid } from '@waypost/telemetry';
import { type Batch, type BatchReader, batchReader, type ClickMessage, type Garbled } from './batch-reader.ts';
import { type Cursor, SavedCursor } from './cursor.ts';
import type { LogView } from './log-view.ts';

export interface ShipperOptions {
  readonly log: LogView;
  readonly folder: string;
  readonly cursor: Cursor;
  readonly bus: Pick<Bus, 'publishEncoded'>;
  readonly logger: Logger;
  /**
   * The shipper waits for it between two batches, unless the log is nearly full. Its argument is the number of unsent
   * bytes.
   */
  readonly pace?: ((waitingBytes: number) => Promise<void>) | undefined;
  readonly batchSize?: number;
  /** With few visitors, one batch is sent in this time. */
  readonly gatherMs?: number;
  readonly backoffMs?: { readonly first: number; readonly most: number };
}

export interface ShipperState {
  /** The number of clicks that the bus acknowledged since the start. */
  readonly shipped: number;
  /** The number of log bytes that the bus has not acknowledged. */
  readonly spoolBytes: number;
  /** The time of the oldest click that the bus has not acknowledged, in Unix milliseconds. */
  readonly oldestUnsentAt: number | undefined;
  /** The number of bytes skipped because they are not a valid frame. */
  readonly garbledBytes: number;
  /** The reason why the last send failed. Undefined after a success. */
  readonly problem: string | undefined;
}

/** The number of clicks. One insert costs the store as much as a thousand rows, so large batches are cheaper. */
const BATCH_SIZE = 10_000;
const GATHER_MS = 1_000;
const BACKOFF_MS = { first: 200, most: 10_000 };
const IDLE_MS = 60_000;
/** Above this share of the log's size limit, clicks are sent at full speed. */
const ROOM = 1 / 8;

/** Starts at once. */
export class Shipper {
  readonly #options: ShipperOptions;
  readonly #batchSize: number;
  readonly #gatherMs: number;
  readonly #stopping = new AbortController();
  readonly #cursor: SavedCursor;
  readonly #reader: BatchReader;
  /** These clicks are read but not acknowledged. A retry sends them together with newer ones. */
  #batch: Batch;
  #sentAt = Number.NEGATIVE_INFINITY;
  #shipped = 0;
  #garbledBytes = 0;
  #problem: string | undefined;
  #oldestUnsentAt: number | undefined;
  #isOver = false;
  readonly #ended: Promise<void>;

  constructor(options: ShipperOptions) {
    const { log, folder, cursor, logger, batchSize = BATCH_SIZE, gatherMs = GATHER_MS } = options;
    this.#options = options;
    this.#batchSize = batchSize;
    this.#gatherMs = gatherMs;
    this.#cursor = new SavedCursor(folder, cursor);
    this.#reader = batchReader(folder, log.segments, (garbled) => this.#stepOver(garbled));
    this.#batch = emptyBatch(cursor);
    this.#ended = this.#run()
      .then(() => this.#cursor.save())
      .catch((error: unknown) => void logger.warn('the cursor of the click log was not saved', errorFields(error)))
      .finally(() => this.#reader.close());
  }

  state(): ShipperState {
    const spoolBytes = unsentBytes(this.#options.log, this.#cursor.at);
    return {
      shipped: this.#shipped,
      spoolBytes,
      oldestUnsentAt: spoolBytes === 0 ? undefined : this.#oldestUnsentAt,
      garbledBytes: this.#garbledBytes,
      problem: this.#problem,
    };
  }

  /** Resolves once all clicks are sent, at the first failure, or after `graceMs`. The next start sends the rest. */
  async stop(graceMs = 2_000): Promise<void> {
    this.#stopping.abort();
    await within(this.#ended, graceMs, undefined);
    this.#isOver = true;
    await this.#reader.close(); // this works even while a send hangs
  }

  async #run(): Promise<void> {
    const { logger, backoffMs = BACKOFF_MS } = this.#options;
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted; ) {
      try {
        await this.#step();
        failures = 0;
        this.#problem = undefined;
      } catch (error) {
        failures += 1;
        this.#problem = error instanceof Error ? error.message : String(error);
        if (isNoteworthy(failures))
          logger.warn('clicks could not be shipped, will retry', { failures, ...errorFields(error) });
        await rest(backOffMs(backoffMs, failures), signal);
      }
    }
    if (this.#problem === undefined) await this.#shipRest();
  }

  /** This redirector may stay stopped for a long time, so it sends its last clicks now. */
  async #shipRest(): Promise<void> {
    try {
      while (!this.#isOver) {
        await this.#readOn();
        if (this.#batch.messages.length === 0) return;
        await this.#ship();
      }
    } catch (error) {
      this.#options.logger.warn('the last clicks were not shipped', errorFields(error));
    }
  }

  async #step(): Promise<void> {
    const { log } = this.#options;
    const { signal } = this.#stopping;
    const capturedBefore = log.captured();
    await this.#readOn();
    const [oldest] = this.#batch.messages;
    this.#oldestUnsentAt = oldest && timeOf(oldest.key);
    if (oldest === undefined) {
      await this.#moveTo(this.#batch.next, true);
      return log.whenCaptured(capturedBefore + 1, IDLE_MS, signal);
    }
    const early = this.#sentAt + this.#gatherMs - performance.now();
    if (!this.#batch.full && early > 0) {
      const missing = this.#batchSize - this.#batch.clicks;
      await log.whenCaptured(capturedBefore + missing, early, signal);
      if (signal.aborted) return;
      await this.#readOn();
    }
    await this.#ship();
  }

  async #readOn(): Promise<void> {
    if (this.#batch.full) return;
    this.#batch = await this.#reader.read(this.#batch, this.#batchSize);
  }

  async #ship(): Promise<void> {
    const { bus, log, pace } = this.#options;
    const { messages, clicks, next } = this.#batch;
    this.#sentAt = performance.now();
    await bus.publishEncoded(CLICKS, messages.map(inItsTrace));
    this.#batch = emptyBatch(next);
    this.#shipped += clicks;
    const spans = { operation: 'send', destination: CLICKS.name, begins: true } as const;
    recordSpans('ship click', idsOf(messages), traceparentOfUuid, timeOf, Date.now(), spans);
    await this.#moveTo(next, false);
    const waiting = unsentBytes(log, next);
    if (waiting < ROOM * log.maxBytes && !this.#stopping.signal.aborted) await pace?.(waiting);
  }

  async #moveTo(next: Cursor, save: boolean): Promise<void> {
    const { log } = this.#options;
    this.#cursor.at = next;
    const passed = log.segments().filter(({ number }) => number < next.segment && log.isFinished(number));
    try {
      if (save || passed.length > 0 || this.#cursor.isDue) await this.#cursor.save();
    } finally {
      // Remove them even if the cursor cannot be saved: on a full disk only this makes room for it.
      for (const { number } of passed) log.remove(number);
    }
  }

  #stepOver({ segment, offset, bytes }: Garbled): void {
    this.#garbledBytes += bytes;
    const { logger } = this.#options;
    logger.error('skipped unreadable bytes in the click log; their clicks are lost', { segment, offset, bytes });
  }
}

function unsentBytes(log: LogView, cursor: Cursor): number {
  return log
    .segments()
    .filter(({ number }) => number >= cursor.segment)
    .reduce((sum, { number, size }) => sum + (number === cursor.segment ? Math.max(0, size - cursor.offset) : size), 0);
}

const emptyBatch = (next: Cursor): Batch => ({ messages: [], clicks: 0, next, full: false });

/** A message with several clicks has no common trace, so each click keeps the trace of its id. */
const inItsTrace = ({ key, value, clicks }: ClickMessage): Encoded<ClickEvent> =>
  clicks > 1 ? { key, value } : { key, value, headers: { traceparent: traceparentOfUuid(key) } };

/** A generator avoids the work when no trace is kept. */
function* idsOf(messages: readonly ClickMessage[]): Generator<string> {
  for (const { value } of messages) yield* value.split('\n').map(clickIdOf);
}

/** A UUIDv7 starts with its time. */
const timeOf = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
