/** The files of the click log: `clicks-<number>.log`. Numbers only grow and are never reused. */
import { readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { nextFrame } from './frame.ts';

export interface Segment {
  readonly number: number;
  /** Bytes of whole frames, which may be read. */
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
      // A shipped segment may be removed meanwhile.
      const file = statSync(segmentPath(folder, number), { throwIfNoEntry: false });
      return file === undefined ? [] : [{ number, size: file.size }];
    });
}

/**
 * Cuts off what a crash left at the end of a segment and is no whole frame. Whole frames stay, also those after a
 * garbled one (the shipper skips it and logs that). Returns the bytes kept and cut.
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
