/**
 * The write-ahead log of clicks. It holds every click before its redirect leaves: killing the process loses none, a
 * power loss at most the last 100 ms (libs/domain/decisions/0004-clicks-are-a-log-first.md).
 *
 * Visitors come before statistics: when the disk fails or is full, redirects go on, what fits is held in memory until
 * the disk is well again, and the rest is counted as uncaptured.
 */
import fs from 'node:fs';
import { promisify } from 'node:util';
import { errorFields, type Logger } from '@waypost/service-kit';
import { FRAME_HEADER_BYTES, FRAME_MAX_BYTES, FRAME_PAYLOAD_BYTES, LINE_MAX_BYTES, sealFrame } from './frame.ts';
import { cutTornTail, listSegments, type Segment, segmentPath, syncFolder } from './segments.ts';
import { type SharedState, sharedState } from './shared-state.ts';

/** What the log asks of the disk; tests hand in one that fails. */
export type Disk = Pick<typeof fs, 'openSync' | 'writeSync' | 'ftruncateSync' | 'fdatasync' | 'close'>;

export interface ClickLogOptions {
  readonly folder: string;
  /** The log never takes more of the disk than this. */
  readonly maxBytes: number;
  readonly logger: Logger;
  /** The number that the shipper's cursor stands at: new segments come after it, even if all others are gone. */
  readonly afterSegment?: number;
  /** Shared with whoever ships the log. */
  readonly state?: SharedState;
  readonly segmentBytes?: number;
  readonly disk?: Disk;
}

export interface ClickLogState {
  readonly diskBytes: number;
  readonly maxBytes: number;
  /** Clicks written since the start. */
  readonly captured: number;
  /** Clicks that wait in memory for the disk. */
  readonly held: number;
  /** Clicks lost since the start: the disk failed or was full for longer than memory could bridge. */
  readonly uncaptured: number;
  /** What is wrong now. */
  readonly problem: string | undefined;
}

export interface ClickLog {
  /** Takes the click (one line of ASCII) of a visitor who is answered after the next `commit`. Never throws. */
  add(line: string): void;
  /** When it returns, all clicks added are written, held or counted as uncaptured. Never throws. */
  commit(): void;
  state(): ClickLogState;
  /** Writes and syncs what is there. Nothing may be added afterwards. */
  close(): Promise<void>;
}

const SEGMENT_BYTES = 16 * 1024 * 1024;
/** Bounds what a power loss may take. */
const SYNC_EVERY_MS = 100;
const RETRY_EVERY_MS = 250;
/** So that a frame always fits into a batch of the shipper. */
const LINES_PER_FRAME = 500;
const HELD_MAX_BYTES = 8 * 1024 * 1024;
const NEWLINE = 0x0a;

interface OpenSegment {
  readonly number: number;
  readonly handle: number;
  size: number;
  dirty: boolean;
}

export function openClickLog(options: ClickLogOptions): ClickLog {
  const { folder, maxBytes, logger, state = sharedState(), disk = fs } = options;
  const segmentBytes = Math.min(options.segmentBytes ?? SEGMENT_BYTES, Math.ceil(maxBytes / 4));
  const fdatasync = promisify(disk.fdatasync);
  const closeFile = promisify(disk.close);

  fs.mkdirSync(folder, { recursive: true });
  const recovered = recover(folder, logger);
  let lastNumber = Math.max(options.afterSegment ?? 0, ...recovered.map(({ number }) => number), 0);
  const removedBefore = state.removedBytes();
  let writtenBytes = recovered.reduce((sum, { size }) => sum + size, 0);
  const diskBytes = () => writtenBytes - (state.removedBytes() - removedBefore);
  let current: OpenSegment | undefined;
  state.moveTo(lastNumber + 1, 0);

  // The clicks of this tick: whole frames up to `frameStart`, then one that is being filled up to `end`.
  const tick = Buffer.allocUnsafe(2 * FRAME_MAX_BYTES);
  let frameStart = 0;
  let end = FRAME_HEADER_BYTES;
  let frameLines = 0;
  let tickLines = 0;

  const held: { readonly bytes: Buffer; readonly lines: number }[] = [];
  let heldBytes = 0;
  let heldLines = 0;
  let captured = 0;
  let uncaptured = 0;
  let writeProblem: string | undefined;
  let syncProblem: string | undefined;
  let full = false;
  let retryTimer: NodeJS.Timeout | undefined;
  let syncTimer: NodeJS.Timeout | undefined;
  const background = new Set<Promise<void>>();

  function add(line: string): void {
    if (line.length >= LINE_MAX_BYTES) {
      uncaptured += 1; // cannot happen: every field of a click is bounded
      return;
    }
    end += tick.write(line, end, 'latin1');
    tick[end] = NEWLINE;
    end += 1;
    frameLines += 1;
    tickLines += 1;
    if (frameLines === LINES_PER_FRAME || end - frameStart >= FRAME_PAYLOAD_BYTES) {
      closeFrame();
      if (tick.length - frameStart < FRAME_MAX_BYTES) commit(); // earlier than asked for is no harm
    }
  }

  function closeFrame(): void {
    if (frameLines === 0) return;
    sealFrame(tick, frameStart, end);
    frameStart = end;
    end += FRAME_HEADER_BYTES;
    frameLines = 0;
  }

  function commit(): void {
    if (tickLines === 0) return;
    closeFrame();
    const lines = tickLines;
    const bytes = tick.subarray(0, frameStart);
    frameStart = 0;
    end = FRAME_HEADER_BYTES;
    tickLines = 0;
    // In trouble the order is kept: what came first is written first.
    if (held.length > 0 || !write(bytes, lines)) hold(bytes, lines);
  }

  /** False: not written, and nothing of it is left in the log. */
  function write(bytes: Buffer, lines: number): boolean {
    if (diskBytes() + bytes.length > maxBytes) {
      if (!full) logger.error('the click log is full: clicks are not counted', { diskBytes: diskBytes(), maxBytes });
      full = true;
      uncaptured += lines;
      return true; // not held: memory would not bridge hours
    }
    if (full) logger.info('the click log has room again', { uncaptured });
    full = false;
    try {
      current ??= openNext();
      append(current, bytes);
    } catch (error) {
      if (writeProblem === undefined) logger.error('clicks cannot be written', errorFields(error));
      writeProblem = describe(error);
      cutPartialFrame();
      return false;
    }
    captured += lines;
    state.moveTo(current.number, current.size);
    state.addCaptured(lines);
    if (current.size >= segmentBytes) finishCurrent();
    return true;
  }

  function append(segment: OpenSegment, bytes: Buffer): void {
    let done = 0;
    while (done < bytes.length) {
      const written = disk.writeSync(segment.handle, bytes, done, bytes.length - done, segment.size + done);
      if (written === 0) throw new Error('the disk took no byte');
      done += written;
    }
    segment.size += bytes.length;
    writtenBytes += bytes.length;
    segment.dirty = true;
    syncTimer ??= setTimeout(sync, SYNC_EVERY_MS);
  }

  function cutPartialFrame(): void {
    if (current === undefined) return;
    try {
      disk.ftruncateSync(current.handle, current.size);
    } catch {
      // Readers stop at the known size, and recovery cuts what stands behind it; but nothing may follow it.
      finishCurrent();
    }
  }

  function hold(bytes: Buffer, lines: number): void {
    if (heldBytes + bytes.length > HELD_MAX_BYTES) {
      uncaptured += lines;
    } else {
      held.push({ bytes: Buffer.from(bytes), lines });
      heldBytes += bytes.length;
      heldLines += lines;
    }
    retryTimer ??= setTimeout(retry, RETRY_EVERY_MS);
  }

  function retry(): void {
    retryTimer = undefined;
    while (held.length > 0) {
      const { bytes, lines } = held[0]!;
      if (!write(bytes, lines)) {
        retryTimer = setTimeout(retry, RETRY_EVERY_MS);
        return;
      }
      held.shift();
      heldBytes -= bytes.length;
      heldLines -= lines;
    }
    writeProblem = undefined;
    logger.info('clicks are written again', { captured, uncaptured });
  }

  function openNext(): OpenSegment {
    const number = lastNumber + 1;
    fs.mkdirSync(folder, { recursive: true }); // somebody may have cleared it away
    const handle = disk.openSync(segmentPath(folder, number), 'wx', 0o600);
    lastNumber = number;
    inBackground(syncFolder(folder));
    return { number, handle, size: 0, dirty: false };
  }

  function finishCurrent(): void {
    if (current === undefined) return;
    const segment = current;
    current = undefined;
    state.moveTo(segment.number + 1, 0);
    inBackground(fdatasync(segment.handle).finally(() => closeFile(segment.handle)));
  }

  function sync(): void {
    syncTimer = undefined;
    const segment = current;
    if (segment === undefined || !segment.dirty) return;
    segment.dirty = false;
    const synced = fdatasync(segment.handle).then(
      () => {
        syncProblem = undefined;
        if (segment.dirty) syncTimer ??= setTimeout(sync, SYNC_EVERY_MS);
      },
      (error: unknown) => {
        // After a failed sync the kernel may forget the pages: what follows goes to another file.
        if (current === segment) finishCurrent();
        throw error;
      },
    );
    inBackground(synced);
  }

  function inBackground(work: Promise<void>): void {
    const settled = work
      .catch((error: unknown) => {
        syncProblem = describe(error);
        logger.error('clicks may not survive a power loss', errorFields(error));
      })
      .finally(() => background.delete(settled));
    background.add(settled);
  }

  return {
    add,
    commit,
    state() {
      const capProblem = full ? `full: ${diskBytes()} of ${maxBytes} bytes` : undefined;
      const problem = writeProblem ?? capProblem ?? syncProblem;
      return { diskBytes: diskBytes(), maxBytes, captured, held: heldLines, uncaptured, problem };
    },
    async close() {
      commit();
      clearTimeout(retryTimer);
      clearTimeout(syncTimer);
      if (held.length > 0) retry();
      clearTimeout(retryTimer);
      if (heldLines > 0) {
        logger.error('clicks are lost: the disk took none until the end', { clicks: heldLines });
        uncaptured += heldLines;
      }
      finishCurrent();
      while (background.size > 0) await Promise.all(background);
    },
  };
}

function recover(folder: string, logger: Logger): Segment[] {
  const segments = listSegments(folder);
  const last = segments.at(-1);
  if (last === undefined) return [];
  const { kept, cut } = cutTornTail(folder, last.number);
  if (cut > 0) logger.warn('cut a torn end off the click log', { segment: last.number, kept, cut });
  return [...segments.slice(0, -1), { number: last.number, size: kept }];
}

function describe(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? (error instanceof Error ? error.message : String(error));
}
