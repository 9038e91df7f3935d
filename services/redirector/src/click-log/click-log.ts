/**
 * The write-ahead log of clicks. It holds every click before its redirect leaves: killing the process loses none, a
 * power loss at most the last 100 ms (libs/domain/decisions/0004-clicks-are-a-log-first.md).
 *
 * Visitors come before statistics: when the disk fails or is full, redirects go on, what fits is held in memory until
 * the disk is well again, and the rest is counted as uncaptured.
 */
import fs from 'node:fs';
import { errorFields, type Logger } from '@waypost/telemetry';
import { LINE_MAX_BYTES } from './frame.ts';
import { FrameBuffer, type Frames } from './frame-buffer.ts';
import { HeldQueue } from './held-queue.ts';
import { type Disk, describe, SegmentWriter } from './segment-writer.ts';
import { type SharedState, sharedState } from './shared-state.ts';

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

export function openClickLog(options: ClickLogOptions): ClickLog {
  const { folder, maxBytes, logger, afterSegment = 0, state = sharedState(), disk = fs } = options;
  const segmentBytes = Math.min(options.segmentBytes ?? SEGMENT_BYTES, Math.ceil(maxBytes / 4));
  const tick = new FrameBuffer();
  const segments = new SegmentWriter({ folder, segmentBytes, afterSegment, state, disk, logger });
  const held = new HeldQueue(write, () => {
    writeProblem = undefined;
    logger.info('clicks are written again', { captured, uncaptured });
  });
  let captured = 0;
  let uncaptured = 0;
  let writeProblem: string | undefined;
  let full = false;

  function add(line: string): void {
    if (line.length >= LINE_MAX_BYTES) {
      uncaptured += 1; // cannot happen: every field of a click is bounded
      return;
    }
    if (!tick.add(line)) commit(); // earlier than asked for is no harm
  }

  function commit(): void {
    const frames = tick.take();
    if (frames === undefined) return;
    // In trouble the order is kept: what came first is written first.
    if (held.isEmpty && write(frames)) return;
    if (!held.add(frames)) uncaptured += frames.lines;
  }

  /** False: not written, and nothing of it is left in the log. */
  function write({ bytes, lines }: Frames): boolean {
    const { diskBytes } = segments;
    if (diskBytes + bytes.length > maxBytes) {
      if (!full) logger.error('the click log is full: clicks are not counted', { diskBytes, maxBytes });
      full = true;
      uncaptured += lines;
      return true; // not held: memory would not bridge hours
    }
    if (full) logger.info('the click log has room again', { uncaptured });
    full = false;
    try {
      segments.append(bytes);
    } catch (error) {
      if (writeProblem === undefined) logger.error('clicks cannot be written', errorFields(error));
      writeProblem = describe(error);
      return false;
    }
    captured += lines;
    state.addCaptured(lines);
    return true;
  }

  return {
    add,
    commit,
    state() {
      const { diskBytes, syncProblem } = segments;
      const capProblem = full ? `full: ${diskBytes} of ${maxBytes} bytes` : undefined;
      const problem = writeProblem ?? capProblem ?? syncProblem;
      return { diskBytes, maxBytes, captured, held: held.lines, uncaptured, problem };
    },
    async close() {
      commit();
      held.end();
      if (held.lines > 0) {
        logger.error('clicks are lost: the disk took none until the end', { clicks: held.lines });
        uncaptured += held.lines;
      }
      await segments.close();
    },
  };
}
