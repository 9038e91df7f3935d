import { getHeapStatistics } from 'node:v8';

const LOOK_EVERY_MS = 5_000;
/** A collection that shrinks the heap stops this thread for about 120 ms, which delays requests. */
const AT_MOST_EVERY_MS = 60_000;
const WORTH_BYTES = 64 * 1024 * 1024;
/** The event loop counts as idle if it was busy for less than this share of the time since the last check. */
const IDLE_BELOW = 0.1;

/**
 * Releases memory after many requests. V8 collects garbage only while a program allocates. So an idle process would
 * keep the garbage of the largest requests, which is hundreds of megabytes. Does nothing without Node's `--expose-gc`.
 * Works only for the calling thread, until the returned function is called.
 */
export function collectWhenIdle({ lookEveryMs = LOOK_EVERY_MS, atMostEveryMs = AT_MOST_EVERY_MS } = {}): () => void {
  let baseline = 0;
  let collectedAt = Number.NEGATIVE_INFINITY;
  let before = performance.eventLoopUtilization();
  const look = () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization > IDLE_BELOW || heapBytes() - baseline < WORTH_BYTES) return;
    if (performance.now() - collectedAt < atMostEveryMs) return;
    // A normal collection would not shrink the memory for new objects, which the requests have enlarged.
    globalThis.gc?.({ type: 'major', flavor: 'last-resort' });
    baseline = heapBytes();
    collectedAt = performance.now();
  };
  const timer = setInterval(look, lookEveryMs).unref();
  return () => clearInterval(timer);
}

const heapBytes = () => getHeapStatistics().total_heap_size;
