import type { Frames } from './frame-buffer.ts';

const RETRY_EVERY_MS = 250;
const MAX_BYTES = 8 * 1024 * 1024;

/** A bounded queue of frames that the disk refused. It writes them in order as soon as the disk accepts them. */
export class HeldQueue {
  readonly #write: (frames: Frames) => boolean;
  readonly #onEmptied: () => void;
  readonly #frames: Frames[] = [];
  #bytes = 0;
  #lines = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `write` returns whether it succeeded. `onEmptied` is called once the queue is empty. */
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

  /** Stores a copy. Returns false if there is no room for it. */
  add({ bytes, lines }: Frames): boolean {
    this.#timer ??= setTimeout(() => this.#retry(), RETRY_EVERY_MS);
    if (this.#bytes + bytes.length > MAX_BYTES) return false;
    this.#frames.push({ bytes: Buffer.from(bytes), lines });
    this.#bytes += bytes.length;
    this.#lines += lines;
    return true;
  }

  /** Tries to write a last time. Frames that remain are lost, and `lines` still counts their clicks. */
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
