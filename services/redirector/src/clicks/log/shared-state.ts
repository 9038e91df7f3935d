/**
 * The thread that writes a click log shares this state with the shipper. It is in shared memory, so neither waits for
 * the other. The shipper continues normally when the writing thread restarts.
 */
import type { Segment } from './segments.ts';

const POSITION = 0;
const CAPTURED = 1;
const WANTED = 2;
const REMOVED = 3;
const SLOTS = 4;

const SIZE_BITS = 32n;
const SIZE_MASK = 2n ** SIZE_BITS - 1n;

export type SharedState = ReturnType<typeof sharedState>;

export function sharedState(buffer = new SharedArrayBuffer(SLOTS * BigInt64Array.BYTES_PER_ELEMENT)) {
  const slots = new BigInt64Array(buffer);
  const captured = () => Number(Atomics.load(slots, CAPTURED));
  return {
    buffer,
    /** The segment that grows, and how many of its bytes may be read. All segments with lower numbers are finished. */
    position(): Segment {
      const packed = Atomics.load(slots, POSITION);
      return { number: Number(packed >> SIZE_BITS), size: Number(packed & SIZE_MASK) };
    },
    moveTo(number: number, size: number): void {
      Atomics.store(slots, POSITION, (BigInt(number) << SIZE_BITS) | BigInt(size));
    },
    captured,
    addCaptured(clicks: number): void {
      const total = Atomics.add(slots, CAPTURED, BigInt(clicks)) + BigInt(clicks);
      if (total >= Atomics.load(slots, WANTED)) Atomics.notify(slots, CAPTURED);
    },
    /**
     * Resolves when `captured` reaches `total`, after `withinMs`, or when `signal` aborts. Only one caller may wait.
     */
    async whenCaptured(total: number, withinMs: number, signal: AbortSignal): Promise<void> {
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
    /** The size of all segments that were removed after their clicks had been sent. */
    removedBytes: () => Number(Atomics.load(slots, REMOVED)),
    addRemovedBytes(bytes: number): void {
      Atomics.add(slots, REMOVED, BigInt(bytes));
    },
  };
}
