import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LOOK_EVERY_MS = 5_000;
/** A collection that shrinks the heap stops this thread for about 120 ms, which a request may notice. */
const AT_MOST_EVERY_MS = 60_000;
const WORTH_BYTES = 64 * 1024 * 1024;
/** The share of the time since the last look in which the event loop was busy. */
const IDLE_BELOW = 0.1;

/**
 * Gives memory back after a burst of requests. V8 collects garbage while a program allocates, so an idle process would
 * keep what the burst left, which is hundreds of megabytes after the largest requests. For the calling thread only,
 * until the returned function is called.
 */
export function collectWhenIdle({ lookEveryMs = LOOK_EVERY_MS, atMostEveryMs = AT_MOST_EVERY_MS } = {}): () => void {
  const collect = garbageCollector();
  let kept = 0;
  let collectedAt = Number.NEGATIVE_INFINITY;
  let before = performance.eventLoopUtilization();
  const look = () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization > IDLE_BELOW || heapBytes() - kept < WORTH_BYTES) return;
    if (performance.now() - collectedAt < atMostEveryMs) return;
    collect();
    kept = heapBytes();
    collectedAt = performance.now();
  };
  const timer = setInterval(look, lookEveryMs).unref();
  return () => clearInterval(timer);
}

const heapBytes = () => getHeapStatistics().total_heap_size;

/** Node has no function for it; `--expose-gc` gives one to each context that is made afterwards. */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  // The usual kind would leave the young generation as large as the burst made it.
  return typeof collect === 'function' ? () => void collect({ type: 'major', flavor: 'last-resort' }) : () => undefined;
}
