import { type FileHandle, open } from 'node:fs/promises';
import { type ClickEvent, clickIdOf } from '@waypost/domain';
import type { Encoded } from '@waypost/ports';
import type { Cursor } from './cursor.ts';
import { FRAME_MAX_BYTES, FRAME_PAYLOAD_BYTES, frameText, mayContinue, nextFrame } from './frame.ts';
import { type Segment, segmentPath } from './segments.ts';

/** The value has one click per line, as in the log. The key is the id of the first click. */
export interface ClickMessage extends Encoded<ClickEvent> {
  readonly clicks: number;
}

export interface Batch {
  readonly messages: readonly ClickMessage[];
  readonly clicks: number;
  readonly next: Cursor;
  readonly full: boolean;
}

export type BatchReader = ReturnType<typeof batchReader>;

/** Bytes that are not a whole frame, because the disk or an editor changed the file. */
export interface Garbled {
  readonly segment: number;
  readonly offset: number;
  readonly bytes: number;
}

/**
 * A message costs the bus a hundred times as much as a line, so a message has many lines. More than this would leave
 * too few messages for several partitions.
 */
const CLICKS_PER_MESSAGE = 500;
/** A message with one large frame is hardly larger. A broker accepts 4 MB (deploy/kafka/server.properties). */
const MESSAGE_CHARACTERS = FRAME_PAYLOAD_BYTES;
/** This limits the memory of a batch with long lines. */
const BATCH_CHARACTERS = 4 * 1024 * 1024;

/**
 * A small read stays in the processor's cache and does not delay visitors. A frame that is larger needs a larger read.
 */
const STEP_BYTES = 128 * 1024;
/** Every whole frame fits into a chunk. */
const CHUNK_BYTES = 2 * FRAME_MAX_BYTES;

export function batchReader(folder: string, segments: () => readonly Segment[], onGarbled: (garbled: Garbled) => void) {
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
    /** Adds clicks to a batch that is not full, until it has `limit` clicks. */
    async read(before: Batch, limit: number): Promise<Batch> {
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
        const length = Math.min(step, segment.size - at.offset);
        const bytes = await readChunk(at.segment, at.offset, length);
        const isEnd = bytes.length < length || at.offset + length === segment.size;
        const { consumedBytes, full } = takeFrames(bytes, isEnd, batch, (start, end) =>
          onGarbled({ segment: at.segment, offset: at.offset + start, bytes: end - start }),
        );
        step = consumedBytes === 0 ? CHUNK_BYTES : STEP_BYTES;
        at = { segment: at.segment, offset: at.offset + consumedBytes };
        if (full) return batch.upTo(at, true);
        if (bytes.length < length) {
          // The file is shorter than its recorded size, or it no longer exists, so waiting would not help.
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

function growingBatch(before: Batch, limit: number) {
  const messages = [...before.messages];
  let clicks = before.clicks;
  let characters = messages.reduce((sum, { value }) => sum + value.length, 0);
  return {
    /** Returns false if the frame does not fit. The batch is then full. */
    add(frame: string): boolean {
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
    upTo: (next: Cursor, full: boolean): Batch => ({ messages, clicks, next, full: full || clicks >= limit }),
  };
}

function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Adds the clicks of the whole frames that fit. Returns how many bytes it used, including garbled bytes. */
function takeFrames(
  bytes: Buffer,
  isEnd: boolean,
  batch: ReturnType<typeof growingBatch>,
  garbled: (start: number, end: number) => void,
): { consumedBytes: number; full: boolean } {
  let consumedBytes = 0;
  while (consumedBytes < bytes.length) {
    const frame = nextFrame(bytes, consumedBytes);
    if (frame === undefined) {
      const end = isEnd ? bytes.length : unfinishedFrame(bytes, consumedBytes);
      if (end > consumedBytes) garbled(consumedBytes, end);
      return { consumedBytes: end, full: false };
    }
    if (frame.start > consumedBytes) garbled(consumedBytes, frame.start);
    if (!batch.add(frameText(bytes, frame))) return { consumedBytes: frame.start, full: true };
    consumedBytes = frame.end;
  }
  return { consumedBytes, full: false };
}

/** Returns the start of a frame that may continue after these bytes, or their length if there is none. */
function unfinishedFrame(bytes: Buffer, from: number): number {
  let start = from;
  while (start < bytes.length && !mayContinue(bytes, start)) start += 1;
  return start;
}
