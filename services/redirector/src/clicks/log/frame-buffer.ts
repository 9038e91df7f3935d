import { FRAME_HEADER_BYTES, FRAME_MAX_BYTES, FRAME_PAYLOAD_BYTES, sealFrame } from './frame.ts';

/** `bytes` has whole frames, and `lines` is the number of clicks in them. */
export interface Frames {
  readonly bytes: Buffer;
  readonly lines: number;
}

/** A frame must fit into one message to the bus. */
const LINES_PER_FRAME = 500;
const NEWLINE = 0x0a;

export class FrameBuffer {
  readonly #bytes = Buffer.allocUnsafe(2 * FRAME_MAX_BYTES);
  #lines = 0;
  /** The start of the frame that is not yet complete. */
  #start = 0;
  #end = FRAME_HEADER_BYTES;
  #frameLines = 0;

  /** Adds a line shorter than `LINE_MAX_BYTES`. If it returns false, call `take` before the next `add`. */
  add(line: string): boolean {
    this.#end += this.#bytes.write(line, this.#end, 'latin1');
    this.#bytes[this.#end] = NEWLINE;
    this.#end += 1;
    this.#frameLines += 1;
    this.#lines += 1;
    if (this.#frameLines < LINES_PER_FRAME && this.#end - this.#start < FRAME_PAYLOAD_BYTES) return true;
    this.#closeFrame();
    return this.#bytes.length - this.#start >= FRAME_MAX_BYTES;
  }

  /** Returns everything added since the last call. The bytes are valid until the next `add`. */
  take(): Frames | undefined {
    if (this.#lines === 0) return undefined;
    if (this.#frameLines > 0) this.#closeFrame();
    const frames = { bytes: this.#bytes.subarray(0, this.#start), lines: this.#lines };
    this.#start = 0;
    this.#end = FRAME_HEADER_BYTES;
    this.#lines = 0;
    return frames;
  }

  #closeFrame(): void {
    sealFrame(this.#bytes, this.#start, this.#end);
    this.#start = this.#end;
    this.#end += FRAME_HEADER_BYTES;
    this.#frameLines = 0;
  }
}
