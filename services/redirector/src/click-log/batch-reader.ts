/** Reads the click log from a cursor onwards, in order and in batches. */
import { type FileHandle, open } from 'node:fs/promises';
import { type ClickEvent, clickIdOf } from '@waypost/domain';
import type { Encoded } from '@waypost/ports';
import type { Cursor } from './cursor.ts';
import { FRAME_MAX_BYTES, FRAME_PAYLOAD_BYTES, frameText, mayContinue, nextFrame } from './frame.ts';
import { type Segment, segmentPath } from './segments.ts';

/** Clicks as they are in the log, one a line; the key is the id of the first. */
export interface ClickMessage extends Encoded<ClickEvent> {
  readonly clicks: number;
}

export interface Batch {
  readonly messages: readonly ClickMessage[];
  readonly clicks: number;
  /** Where the next batch begins, after the last message. */
  readonly next: Cursor;
  /** Whether more clicks follow that did not fit. */
  readonly full: boolean;
}

export interface BatchReader {
  /** Reads on after a batch that is not full, up to `limit` clicks. */
  read(before: Batch, limit: number): Promise<Batch>;
  close(): Promise<void>;
}

/** Bytes that are not a whole frame: garbled by the disk, or by somebody who edited the file. */
export interface Garbled {
  readonly segment: number;
  readonly offset: number;
  readonly bytes: number;
}

/** A message costs the bus a hundred times what a line costs. Many of them still go to several partitions. */
const CLICKS_PER_MESSAGE = 500;
/** A message of one large frame is hardly larger; a broker accepts 4 MB (deploy/kafka/server.properties). */
const MESSAGE_CHARACTERS = FRAME_PAYLOAD_BYTES;
/** Bounds the memory of a batch whose lines are long. */
const BATCH_CHARACTERS = 4 * 1024 * 1024;

/** Small steps stay in the processor's cache and let visitors in between; only a larger frame needs a larger read. */
const STEP_BYTES = 128 * 1024;
/** Every whole frame fits into this. */
const CHUNK_BYTES = 2 * FRAME_MAX_BYTES;

export function batchReader(
  folder: string,
  segments: () => readonly Segment[],
  onGarbled: (garbled: Garbled) => void,
): BatchReader {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let file: { readonly number: number; readonly handle: FileHandle } | undefined;

  async function readChunk(number: number, offset: number, length: number): Promise<Buffer> {
    if (file?.number !== number) {
      await close();
      const handle = await openIfExists(segmentPath(folder, number));
      if (handle === undefined) return chunk.subarray(0, 0);
      file = { number, handle };
    }
    const { bytesRead } = await file.handle.read(chunk, 0, length, offset);
    return chunk.subarray(0, bytesRead);
  }

  async function close(): Promise<void> {
    const old = file;
    file = undefined;
    await old?.handle.close();
  }

  return {
    close,
    async read(before, limit) {
      const batch = growingBatch(before, limit);
      let at = before.next;
      let step = STEP_BYTES;
      for (;;) {
        const current = segments();
        const segment = current.find(({ number }) => number >= at.segment);
        if (segment === undefined) return batch.upTo(at, false);
        if (segment.number !== at.segment) at = { segment: segment.number, offset: 0 };
        if (at.offset >= segment.size) {
          if (segment === current.at(-1)) return batch.upTo(at, false);
          at = { segment: segment.number + 1, offset: 0 };
          continue;
        }
        const wanted = Math.min(step, segment.size - at.offset);
        const bytes = await readChunk(at.segment, at.offset, wanted);
        const isEnd = bytes.length < wanted || at.offset + wanted === segment.size;
        const { taken, full } = takeFrames(bytes, isEnd, batch, (start, end) =>
          onGarbled({ segment: at.segment, offset: at.offset + start, bytes: end - start }),
        );
        step = taken === 0 ? CHUNK_BYTES : STEP_BYTES;
        at = { segment: at.segment, offset: at.offset + taken };
        if (full) return batch.upTo(at, true);
        if (bytes.length < wanted) {
          // The file is shorter than the log's recorded size, or gone: there is nothing to wait for.
          onGarbled({ segment: at.segment, offset: at.offset, bytes: segment.size - at.offset });
          at = { segment: at.segment, offset: segment.size };
        }
      }
    },
  };
}

async function openIfExists(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

interface GrowingBatch {
  /** False: the frame does not fit, and the batch is full. */
  add(frame: string): boolean;
  upTo(next: Cursor, full: boolean): Batch;
}

function growingBatch(before: Batch, limit: number): GrowingBatch {
  const messages = [...before.messages];
  let clicks = before.clicks;
  let characters = messages.reduce((sum, { value }) => sum + value.length, 0);
  return {
    add(frame) {
      const lines = lineCount(frame);
      if (clicks > 0 && (clicks + lines > limit || characters + frame.length > BATCH_CHARACTERS)) return false;
      clicks += lines;
      characters += frame.length;
      const last = messages.at(-1);
      const hasRoom =
        last !== undefined &&
        last.clicks + lines <= CLICKS_PER_MESSAGE &&
        last.value.length + frame.length < MESSAGE_CHARACTERS;
      if (hasRoom)
        messages[messages.length - 1] = {
          key: last.key,
          value: `${last.value}\n${frame}`,
          clicks: last.clicks + lines,
        };
      else messages.push({ key: clickIdOf(frame), value: frame, clicks: lines });
      return true;
    },
    upTo: (next, full) => ({ messages, clicks, next, full: full || clicks >= limit }),
  };
}

function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Adds the clicks of whole frames that fit. Returns how many bytes it consumed, garbled ones included. */
function takeFrames(
  bytes: Buffer,
  isEnd: boolean,
  batch: GrowingBatch,
  garbled: (start: number, end: number) => void,
): { taken: number; full: boolean } {
  let taken = 0;
  while (taken < bytes.length) {
    const frame = nextFrame(bytes, taken);
    if (frame === undefined) {
      const end = isEnd ? bytes.length : unfinishedFrame(bytes, taken);
      if (end > taken) garbled(taken, end);
      return { taken: end, full: false };
    }
    if (frame.start > taken) garbled(taken, frame.start);
    if (!batch.add(frameText(bytes, frame))) return { taken: frame.start, full: true };
    taken = frame.end;
  }
  return { taken, full: false };
}

/** Where a frame starts that continues after these bytes, or their end. */
function unfinishedFrame(bytes: Buffer, from: number): number {
  let start = from;
  while (start < bytes.length && !mayContinue(bytes, start)) start += 1;
  return start;
}
