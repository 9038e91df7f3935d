/**
 * Brings the click log to the bus: in order, one send in flight, the cursor moved after the acknowledgement. A crash
 * in between sends some clicks again, with the same ids.
 */
import { CLICKS, type ClickEvent } from '@waypost/domain';
import type { Bus, BusMessage, Encoded } from '@waypost/ports';
import { backOffMs, isNoteworthy, rest, within } from '@waypost/resilience';
import { errorFields, type Logger, recordSpans } from '@waypost/service-kit';
import { batchReader } from './batch-reader.ts';
import { type Cursor, writeCursor } from './cursor.ts';
import type { LogView } from './log-view.ts';

export interface ShipperOptions {
  readonly log: LogView;
  readonly folder: string;
  readonly cursor: Cursor;
  readonly bus: Pick<Bus, 'publishEncoded'>;
  readonly logger: Logger;
  /** Awaited between batches while the log has room: it lets visitors go first. */
  readonly pace?: (() => Promise<void>) | undefined;
  readonly batchSize?: number;
  /** At low load one batch goes out in this time. */
  readonly gatherMs?: number;
  readonly backoffMs?: { readonly first: number; readonly most: number };
}

export interface ShipperState {
  /** Clicks acknowledged by the bus since the start. */
  readonly shipped: number;
  /** Bytes of the log that are not acknowledged. */
  readonly spoolBytes: number;
  /** When the oldest of them was made, Unix milliseconds. */
  readonly oldestUnsentAt: number | undefined;
  /** Bytes that were stepped over because they are no frame. */
  readonly garbledBytes: number;
  /** Why the last send failed, while it is tried again. */
  readonly problem: string | undefined;
}

export interface Shipper {
  state(): ShipperState;
  /** Ends after the send in flight, or after `graceMs`: what is not acknowledged is sent again after the next start. */
  stop(graceMs?: number): Promise<void>;
}

const BATCH_SIZE = 1_000;
const GATHER_MS = 1_000;
const BACKOFF_MS = { first: 200, most: 10_000 };
/** The cursor is written this often at most: what is lost of it costs repetition only. */
const CURSOR_EVERY_MS = 250;
const IDLE_MS = 60_000;
/** When more of the log than this is full, clicks are sent as fast as they can be. */
const ROOM = 1 / 8;

export function startShipper(options: ShipperOptions): Shipper {
  const { log, folder, bus, logger, pace } = options;
  const batchSize = options.batchSize ?? BATCH_SIZE;
  const gatherMs = options.gatherMs ?? GATHER_MS;
  const backoffMs = options.backoffMs ?? BACKOFF_MS;

  const stopping = new AbortController();
  let cursor = options.cursor;
  let savedCursor = cursor;
  let savedAt = 0;
  let sentAt = Number.NEGATIVE_INFINITY;
  let shipped = 0;
  let garbledBytes = 0;
  let garbledUpTo = cursor;
  let failures = 0;
  let problem: string | undefined;
  let oldestUnsentAt: number | undefined;

  const reader = batchReader(folder, log.segments, ({ segment, offset, bytes }) => {
    // A batch that is read twice tells of its garbled bytes once.
    const seen = segment < garbledUpTo.segment || (segment === garbledUpTo.segment && offset < garbledUpTo.offset);
    if (seen) return;
    garbledUpTo = { segment, offset: offset + bytes };
    garbledBytes += bytes;
    logger.error('stepped over garbled bytes in the click log: their clicks are lost', { segment, offset, bytes });
  });

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await step();
        failures = 0;
        problem = undefined;
      } catch (error) {
        failures += 1;
        problem = error instanceof Error ? error.message : String(error);
        if (isNoteworthy(failures)) logger.warn('clicks cannot be shipped', { failures, ...errorFields(error) });
        await rest(backOffMs(backoffMs, failures), stopping.signal);
      }
    }
  }

  /** Ships one batch, or waits for clicks. */
  async function step(): Promise<void> {
    const capturedBefore = log.captured();
    const batch = await reader.read(cursor, batchSize);
    if (batch.messages.length === 0) {
      oldestUnsentAt = undefined;
      await moveTo(batch.next, true);
      return log.whenCaptured(capturedBefore + 1, IDLE_MS, stopping.signal);
    }
    oldestUnsentAt = madeAt(batch.messages[0]!);
    const early = sentAt + gatherMs - performance.now();
    if (!batch.full && early > 0) {
      const missing = batchSize - batch.messages.length;
      await log.whenCaptured(capturedBefore + missing, early, stopping.signal);
      // Read again for what came meanwhile; the time is over or a whole batch is there.
      if (!stopping.signal.aborted) await ship(await reader.read(cursor, batchSize));
      return;
    }
    await ship(batch);
  }

  async function ship({ messages, next }: { messages: readonly Encoded<ClickEvent>[]; next: Cursor }): Promise<void> {
    sentAt = performance.now();
    await bus.publishEncoded(CLICKS, messages);
    shipped += messages.length;
    recordSpans('ship click', messages, madeAt, Date.now());
    await moveTo(next, false);
    if (unsentBytes(log, cursor) < ROOM * log.maxBytes) await pace?.();
  }

  async function moveTo(next: Cursor, save: boolean): Promise<void> {
    cursor = next;
    const passed = log.segments().filter(({ number }) => number < cursor.segment && log.isFinished(number));
    if (save || passed.length > 0 || performance.now() - savedAt >= CURSOR_EVERY_MS) await saveCursor();
    for (const { number } of passed) log.remove(number);
  }

  async function saveCursor(): Promise<void> {
    if (cursor.segment === savedCursor.segment && cursor.offset === savedCursor.offset) return;
    const saving = cursor;
    await writeCursor(folder, saving);
    savedCursor = saving;
    savedAt = performance.now();
  }

  const ended = run()
    .then(saveCursor)
    .catch((error: unknown) => logger.warn('the cursor of the click log was not saved', errorFields(error)))
    .finally(() => reader.close());

  return {
    state() {
      const spoolBytes = unsentBytes(log, cursor);
      return {
        shipped,
        spoolBytes,
        oldestUnsentAt: spoolBytes === 0 ? undefined : oldestUnsentAt,
        garbledBytes,
        problem,
      };
    },
    async stop(graceMs = 2_000) {
      stopping.abort();
      await within(ended, graceMs, undefined);
      await reader.close(); // a send that hangs does not keep the file open
    },
  };
}

function unsentBytes(log: LogView, cursor: Cursor): number {
  return log
    .segments()
    .filter(({ number }) => number >= cursor.segment)
    .reduce((sum, { number, size }) => sum + (number === cursor.segment ? Math.max(0, size - cursor.offset) : size), 0);
}

/** A UUIDv7 begins with its time. */
function madeAt({ key }: BusMessage): number {
  return Number.parseInt(key.slice(0, 8) + key.slice(9, 13), 16);
}
