import { performance } from 'node:perf_hooks';

/** Share of the event loop that the work may take while visitors need it. */
const SHARE = 0.15;
/** Above this utilisation of the event loop, somebody needs it. */
const BUSY = 0.6;
/** A pause is no longer than this: the work goes on at its slowest. */
const MAX_PAUSE_MS = 2_000;

/**
 * Visitors come first: what is called between two batches of background work pauses while the event loop is busy, so
 * that the work takes no more than its share, and does not pause while it is idle. The clicks wait on disk.
 */
export function pace(): () => Promise<void> {
  let last = performance.eventLoopUtilization();
  let resumedAt = performance.now();
  return async () => {
    const workedMs = performance.now() - resumedAt;
    const { utilization } = performance.eventLoopUtilization(last);
    if (utilization > BUSY) {
      const pauseMs = Math.min(MAX_PAUSE_MS, workedMs / SHARE - workedMs);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    last = performance.eventLoopUtilization();
    resumedAt = performance.now();
  };
}
