/** The files of the click log are named `clicks-<number>.log`. Numbers only grow and are never reused. */
import { readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { nextFrame } from './frame.ts';

export interface Segment {
  readonly number: number;
  /** The number of bytes that may be read: only whole frames. */
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
      // The shipper may have removed the segment in the meantime.
      const file = statSync(segmentPath(folder, number), { throwIfNoEntry: false });
      return file === undefined ? [] : [{ number, size: file.size }];
    });
}

/**
 * Removes an incomplete frame that a crash left at the end of a segment. Whole frames stay, even after a garbled one,
 * which the shipper skips and logs. Returns the remaining size and the number of removed bytes.
 */
export function cutTornTail(folder: string, number: number): { readonly size: number; readonly cut: number } {
  const file = segmentPath(folder, number);
  const bytes = readFileSync(file);
  let size = 0;
  for (let frame = nextFrame(bytes, 0); frame !== undefined; frame = nextFrame(bytes, size)) size = frame.end;
  if (size < bytes.length) truncateSync(file, size);
  return { size, cut: bytes.length - size };
}

/** Once it resolves, a created, removed or renamed file in `folder` survives a power loss. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}
