/**
 * The write-ahead log of clicks. Every click is in it before the visitor gets the redirect. A killed process therefore
 * loses no click, and a power loss costs at most the last 100 ms (libs/domain/decisions/0004-click-log.md).
 *
 * Visitors are more important than statistics: redirects continue when the disk fails. Clicks then wait in memory until
 * the disk works again. Clicks for which memory or the log has no room are counted as uncaptured.
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
  readonly maxBytes: number;
  readonly logger: Logger;
  /** The segment number in the shipper's cursor. New segments get higher numbers, even if no segment is left. */
  readonly afterSegment?: number;
  readonly state?: SharedState;
  readonly segmentBytes?: number;
  readonly disk?: Disk;
}

export interface ClickLogState {
  readonly diskBytes: number;
  readonly maxBytes: number;
  /** The number of clicks written since the start. */
  readonly captured: number;
  /** The number of clicks that wait in memory because the disk failed. */
  readonly heldClicks: number;
  /** The number of clicks lost since the start, because the log or the memory for waiting clicks was full. */
  readonly uncaptured: number;
  readonly problem: string | undefined;
}

export type ClickLog = ReturnType<typeof openClickLog>;

const SEGMENT_BYTES = 16 * 1024 * 1024;

export function openClickLog(options: ClickLogOptions) {
  const { folder, maxBytes, logger, afterSegment = 0, state = sharedState(), disk = fs } = options;
  const segmentBytes = Math.min(options.segmentBytes ?? SEGMENT_BYTES, Math.ceil(maxBytes / 4));
  const tick = new FrameBuffer();
  const segments = new SegmentWriter({ folder, segmentBytes, afterSegment, state, disk, logger });
  const heldFrames = new HeldQueue(write, () => {
    writeProblem = undefined;
    logger.info('clicks are written again', { captured, uncaptured });
  });
  let captured = 0;
  let uncaptured = 0;
  let writeProblem: string | undefined;
  let full = false;

  /** Adds a click, which is one line of ASCII. Its visitor gets the answer after the next `commit`. Never throws. */
  function add(line: string): void {
    if (line.length >= LINE_MAX_BYTES) {
      uncaptured += 1; // this cannot happen, because every field of a click is bounded
      return;
    }
    if (!tick.add(line)) commit();
  }

  /** When it returns, all added clicks are written, kept in memory, or counted as uncaptured. Never throws. */
  function commit(): void {
    const frames = tick.take();
    if (frames === undefined) return;
    // Clicks that wait in memory are older, so they are written first.
    if (heldFrames.isEmpty && write(frames)) return;
    if (!heldFrames.add(frames)) uncaptured += frames.lines;
  }

  /** Returns false if the disk failed. The log then has no part of the frames. */
  function write({ bytes, lines }: Frames): boolean {
    const { diskBytes } = segments;
    if (diskBytes + bytes.length > maxBytes) {
      if (!full) logger.error('the click log is full; clicks are lost', { diskBytes, maxBytes });
      full = true;
      uncaptured += lines;
      return true; // memory has no room for hours of clicks, so they are not kept
    }
    if (full) logger.info('the click log has space again', { uncaptured });
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
    state(): ClickLogState {
      const { diskBytes, syncProblem } = segments;
      const capProblem = full ? `full: ${diskBytes} of ${maxBytes} bytes` : undefined;
      const problem = writeProblem ?? capProblem ?? syncProblem;
      return { diskBytes, maxBytes, captured, heldClicks: heldFrames.lines, uncaptured, problem };
    },
    /** Writes and syncs all clicks. Do not call `add` after it. */
    async close(): Promise<void> {
      commit();
      heldFrames.end();
      if (heldFrames.lines > 0) {
        logger.error('clicks were lost, because the disk could not be written until the process stopped', {
          clicks: heldFrames.lines,
        });
        uncaptured += heldFrames.lines;
      }
      await segments.close();
    },
  };
}
