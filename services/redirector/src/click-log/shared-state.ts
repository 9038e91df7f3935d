/**
 * The state that the writing thread and the shipper of a click log share. It is in shared memory, so neither waits for
 * the other, and the shipper continues where it was when the writing thread restarts.
 */
import type { Segment } from './segments.ts';

const POSITION = 0;
const CAPTURED = 1;
const WANTED = 2;
const REMOVED = 3;
const SLOTS = 4;

const SIZE_BITS = 32n;
const SIZE_MASK = 2n ** SIZE_BITS - 1n;

export interface SharedState {
  readonly buffer: SharedArrayBuffer;
  /** The growing segment (all with lower numbers are finished) and its bytes of whole frames, which may be read. */
  position(): Segment;
  moveTo(number: number, size: number): void;
  /** Clicks written since the process started. */
  captured(): number;
  addCaptured(clicks: number): void;
  /** Resolves when `captured` reaches `total`, after `withinMs`, or when `signal` aborts. For one waiter. */
  whenCaptured(total: number, withinMs: number, signal: AbortSignal): Promise<void>;
  /** Bytes of shipped and removed segments. */
  removedBytes(): number;
  addRemovedBytes(bytes: number): void;
}

export function sharedState(buffer = new SharedArrayBuffer(SLOTS * BigInt64Array.BYTES_PER_ELEMENT)): SharedState {
  const slots = new BigInt64Array(buffer);
  const captured = () => Number(Atomics.load(slots, CAPTURED));
  return {
    buffer,
    position() {
      const packed = Atomics.load(slots, POSITION);
      return { number: Number(packed >> SIZE_BITS), size: Number(packed & SIZE_MASK) };
    },
    moveTo(number, size) {
      Atomics.store(slots, POSITION, (BigInt(number) << SIZE_BITS) | BigInt(size));
    },
    captured,
    addCaptured(clicks) {
      const total = Atomics.add(slots, CAPTURED, BigInt(clicks)) + BigInt(clicks);
      if (total >= Atomics.load(slots, WANTED)) Atomics.notify(slots, CAPTURED);
    },
    async whenCaptured(total, withinMs, signal) {
      const deadline = performance.now() + withinMs;
      const wake = () => void Atomics.notify(slots, CAPTURED);
      signal.addEventListener('abort', wake);
      Atomics.store(slots, WANTED, BigInt(total));
      for (;;) {
        const seen = Atomics.load(slots, CAPTURED);
        const leftMs = deadline - performance.now();
        if (seen >= BigInt(total) || leftMs <= 0 || signal.aborted) break;
        await Atomics.waitAsync(slots, CAPTURED, seen, leftMs).value;
      }
      signal.removeEventListener('abort', wake);
    },
    removedBytes: () => Number(Atomics.load(slots, REMOVED)),
    addRemovedBytes(bytes) {
      Atomics.add(slots, REMOVED, BigInt(bytes));
    },
  };
}
