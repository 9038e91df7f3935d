/** Reads the click log from a cursor onwards, in order and in batches. */
import { type FileHandle, open } from 'node:fs/promises';
import { type ClickEvent, clickIdOf } from '@waypost/domain';
import type { Encoded } from '@waypost/ports';
import { traceparentOfUuid } from '@waypost/telemetry';
import type { Cursor } from './cursor.ts';
import { FRAME_MAX_BYTES, frameLines, mayContinue, nextFrame } from './frame.ts';
import { type Segment, segmentPath } from './segments.ts';

export interface Batch {
  readonly messages: readonly Encoded<ClickEvent>[];
  /** Where the next batch begins, after the last message. */
  readonly next: Cursor;
  /** Whether more clicks follow that did not fit. */
  readonly full: boolean;
}

export interface BatchReader {
  /** Reads a batch from a cursor onwards, after the messages read `before`. */
  read(from: Cursor, limit: number, before?: Batch['messages']): Promise<Batch>;
  close(): Promise<void>;
}

/** Bytes that are not a whole frame: garbled by the disk, or by somebody who edited the file. */
export interface Garbled {
  readonly segment: number;
  readonly offset: number;
  readonly bytes: number;
}

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
    async read(from, limit, before = []) {
      const messages = [...before];
      let at = from;
      let step = STEP_BYTES;
      for (;;) {
        const current = segments();
        const segment = current.find(({ number }) => number >= at.segment);
        if (segment === undefined) return { messages, next: at, full: false };
        if (segment.number !== at.segment) at = { segment: segment.number, offset: 0 };
        if (at.offset >= segment.size) {
          if (segment === current.at(-1)) return { messages, next: at, full: false };
          at = { segment: segment.number + 1, offset: 0 };
          continue;
        }
        const wanted = Math.min(step, segment.size - at.offset);
        const bytes = await readChunk(at.segment, at.offset, wanted);
        const isEnd = bytes.length < wanted || at.offset + wanted === segment.size;
        const { taken, full } = takeFrames(bytes, isEnd, messages, limit, (start, end) =>
          onGarbled({ segment: at.segment, offset: at.offset + start, bytes: end - start }),
        );
        step = taken === 0 ? CHUNK_BYTES : STEP_BYTES;
        at = { segment: at.segment, offset: at.offset + taken };
        if (full) return { messages, next: at, full: true };
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

/** Adds the clicks of whole frames up to `limit`. Returns how many bytes it consumed, garbled ones included. */
function takeFrames(
  bytes: Buffer,
  isEnd: boolean,
  messages: Encoded<ClickEvent>[],
  limit: number,
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
    const lines = frameLines(bytes, frame);
    if (messages.length > 0 && messages.length + lines.length > limit) return { taken: frame.start, full: true };
    for (const line of lines) {
      const id = clickIdOf(line);
      messages.push({ key: id, value: line, headers: { traceparent: traceparentOfUuid(id) } });
    }
    taken = frame.end;
  }
  return { taken, full: messages.length >= limit };
}

/** Where a frame starts that continues after these bytes, or their end. */
function unfinishedFrame(bytes: Buffer, from: number): number {
  let start = from;
  while (start < bytes.length && !mayContinue(bytes, start)) start += 1;
  return start;
}
