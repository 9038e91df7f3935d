/**
 * The write-ahead log of clicks. It holds every click before its redirect leaves: a killed process loses none, a power
 * loss costs at most the last 100 ms (libs/domain/decisions/0004-click-log.md).
 *
 * Visitors come before statistics: when the disk fails, redirects continue. The log holds in memory what fits until the
 * disk recovers, and counts the rest as uncaptured. When the log is full, it counts all further clicks as uncaptured.
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
  /** The most that the log takes on disk. */
  readonly maxBytes: number;
  readonly logger: Logger;
  /** The segment number in the shipper's cursor: new segments get higher ones, even if no segment is left. */
  readonly afterSegment?: number;
  /** Shared with the shipper. */
  readonly state?: SharedState;
  readonly segmentBytes?: number;
  readonly disk?: Disk;
}

export interface ClickLogState {
  readonly diskBytes: number;
  readonly maxBytes: number;
  /** Clicks written since the start. */
  readonly captured: number;
  /** Clicks in memory that wait for the disk. */
  readonly held: number;
  /** Clicks lost since the start: the log was full, or the disk failed for longer than memory could bridge. */
  readonly uncaptured: number;
  /** The current problem. */
  readonly problem: string | undefined;
}

export interface ClickLog {
  /** Adds a click (one line of ASCII); its visitor gets the answer after the next `commit`. Never throws. */
  add(line: string): void;
  /** Once it returns, all added clicks are written, held or counted as uncaptured. Never throws. */
  commit(): void;
  state(): ClickLogState;
  /** Writes and syncs all clicks. Nothing may be added afterwards. */
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
    if (!tick.add(line)) commit(); // an early commit does no harm
  }

  function commit(): void {
    const frames = tick.take();
    if (frames === undefined) return;
    // Held clicks are older, so they are written first.
    if (held.isEmpty && write(frames)) return;
    if (!held.add(frames)) uncaptured += frames.lines;
  }

  /** False: not written, and the log has no part of it. */
  function write({ bytes, lines }: Frames): boolean {
    const { diskBytes } = segments;
    if (diskBytes + bytes.length > maxBytes) {
      if (!full) logger.error('the click log is full: clicks are not counted', { diskBytes, maxBytes });
      full = true;
      uncaptured += lines;
      return true; // not held: memory cannot bridge hours
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
