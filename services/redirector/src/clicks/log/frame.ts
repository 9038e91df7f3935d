/**
 * The click log is a sequence of frames. A frame has the clicks of one turn of the event loop. Its length and checksum
 * show whether a crash or the disk damaged it.
 *
 * marker (4 bytes) | payload length (u32 LE) | CRC-32 of the payload, seeded with the length (u32 LE) | payload
 *
 * The payload is lines of ASCII, each with its newline. The marker is not ASCII, so a reader finds the next frame after
 * a damaged one.
 */
import { crc32 } from 'node:zlib';

export const FRAME_HEADER_BYTES = 12;
/** A frame is complete when its payload reaches this size. A reader's buffer has room for one more line. */
export const FRAME_PAYLOAD_BYTES = 256 * 1024;
/**
 * A line has two header values of 512 characters and about 300 other bytes. An escaped character takes at most six
 * bytes.
 */
export const LINE_MAX_BYTES = 8 * 1024;
export const FRAME_MAX_BYTES = FRAME_HEADER_BYTES + FRAME_PAYLOAD_BYTES + LINE_MAX_BYTES;

const MARKER = Buffer.from([0xc1, 0x57, 0x50, 0xf5]);
const MARKER_NUMBER = MARKER.readUInt32LE(0);

/** Completes the frame whose payload is in `bytes` from `start + FRAME_HEADER_BYTES` to `end`. */
export function sealFrame(bytes: Buffer, start: number, end: number): void {
  const length = end - start - FRAME_HEADER_BYTES;
  bytes.writeUInt32LE(MARKER_NUMBER, start);
  bytes.writeUInt32LE(length, start + 4);
  bytes.writeUInt32LE(crc32(bytes.subarray(start + FRAME_HEADER_BYTES, end), length), start + 8);
}

export interface Frame {
  readonly start: number;
  readonly end: number;
}

/** Returns the first whole frame at or after `from`. The bytes before it are garbled. */
export function nextFrame(bytes: Buffer, from: number): Frame | undefined {
  for (let start = from; start !== -1; start = bytes.indexOf(MARKER, start + 1)) {
    const end = wholeFrameEnd(bytes, start);
    if (end !== -1) return { start, end };
  }
  return undefined;
}

/** Returns true if a frame may start at `start` and continue after these bytes. */
export function mayContinue(bytes: Buffer, start: number): boolean {
  const available = bytes.length - start;
  if (available < FRAME_HEADER_BYTES) return MARKER.subarray(0, available).equals(bytes.subarray(start, start + 4));
  if (bytes.readUInt32LE(start) !== MARKER_NUMBER) return false;
  const length = bytes.readUInt32LE(start + 4);
  return length > available - FRAME_HEADER_BYTES && length <= FRAME_MAX_BYTES - FRAME_HEADER_BYTES;
}

export function frameText(bytes: Buffer, { start, end }: Frame): string {
  return bytes.toString('latin1', start + FRAME_HEADER_BYTES, end - 1);
}

function wholeFrameEnd(bytes: Buffer, start: number): number {
  const payload = start + FRAME_HEADER_BYTES;
  if (payload > bytes.length || bytes.readUInt32LE(start) !== MARKER_NUMBER) return -1;
  const length = bytes.readUInt32LE(start + 4);
  const end = payload + length;
  if (length === 0 || end > bytes.length) return -1;
  return crc32(bytes.subarray(payload, end), length) === bytes.readUInt32LE(start + 8) ? end : -1;
}
