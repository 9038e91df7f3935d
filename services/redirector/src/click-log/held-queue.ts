import type { Frames } from './frame-buffer.ts';

const RETRY_EVERY_MS = 250;
const MAX_BYTES = 8 * 1024 * 1024;

/** Frames that the disk did not take, bounded and in order: what came first is written first, as soon as that works. */
export class HeldQueue {
  readonly #write: (frames: Frames) => boolean;
  readonly #onEmptied: () => void;
  readonly #frames: Frames[] = [];
  #bytes = 0;
  #lines = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `write` says whether it worked; `onEmptied` is called when all that was held is written. */
  constructor(write: (frames: Frames) => boolean, onEmptied: () => void) {
    this.#write = write;
    this.#onEmptied = onEmptied;
  }

  get lines(): number {
    return this.#lines;
  }

  get isEmpty(): boolean {
    return this.#frames.length === 0;
  }

  /** Keeps a copy. False: there is no room for it. */
  add({ bytes, lines }: Frames): boolean {
    this.#timer ??= setTimeout(() => this.#retry(), RETRY_EVERY_MS);
    if (this.#bytes + bytes.length > MAX_BYTES) return false;
    this.#frames.push({ bytes: Buffer.from(bytes), lines });
    this.#bytes += bytes.length;
    this.#lines += lines;
    return true;
  }

  /** Tries a last time; what is left is lost, and stays counted in `lines`. */
  end(): void {
    if (!this.isEmpty) this.#retry();
    clearTimeout(this.#timer);
  }

  #retry(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (let first = this.#frames[0]; first !== undefined; first = this.#frames[0]) {
      if (!this.#write(first)) {
        this.#timer = setTimeout(() => this.#retry(), RETRY_EVERY_MS);
        return;
      }
      this.#frames.shift();
      this.#bytes -= first.bytes.length;
      this.#lines -= first.lines;
    }
    this.#onEmptied();
  }
}
