/** The files of the click log: `clicks-<number>.log`, numbered upwards and never reused. */
import { readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { nextFrame } from './frame.ts';

export interface Segment {
  readonly number: number;
  /** Bytes of whole frames: what may be read. */
  readonly size: number;
}

const NAME = /^clicks-(\d{12})\.log$/;

export function segmentPath(folder: string, number: number): string {
  return path.join(folder, `clicks-${String(number).padStart(12, '0')}.log`);
}

export function listSegments(folder: string): Segment[] {
  return readdirSync(folder)
    .flatMap((name) => NAME.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b)
    .flatMap((number) => {
      // One that was shipped may go meanwhile.
      const file = statSync(segmentPath(folder, number), { throwIfNoEntry: false });
      return file === undefined ? [] : [{ number, size: file.size }];
    });
}

/**
 * What a crash left at the end of a segment is not a frame: it is cut off. Whole frames stay, those behind a garbled
 * one included (the shipper steps over it and tells). Returns the bytes kept and cut.
 */
export function cutTornTail(folder: string, number: number): { readonly kept: number; readonly cut: number } {
  const file = segmentPath(folder, number);
  const bytes = readFileSync(file);
  let kept = 0;
  for (let frame = nextFrame(bytes, 0); frame !== undefined; frame = nextFrame(bytes, kept)) kept = frame.end;
  if (kept < bytes.length) truncateSync(file, kept);
  return { kept, cut: bytes.length - kept };
}

/** Makes a creation, removal or renaming in `folder` survive a power loss. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
