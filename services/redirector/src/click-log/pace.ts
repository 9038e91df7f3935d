import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** Share of the event loop that the work may take while visitors need it. */
const SHARE = 0.15;
/** Above this utilisation of the event loop, somebody needs it. */
const BUSY = 0.6;
/** A pause is no longer than this: the work goes on at its slowest. */
const MAX_PAUSE_MS = 2_000;
/** Part of the time worked for which the work always rests. */
const LOOK = 0.25;

/**
 * Visitors come first: what is called between two batches of background work rests for a moment, and sees by that
 * whether visitors need the processor, by how busy the event loop that answers them is. If so it pauses, so that the
 * work takes no more than its share. The clicks wait on disk.
 */
export function pace(utilization = performance.eventLoopUtilization): () => Promise<void> {
  let resumedAt = performance.now();
  return async () => {
    const workedMs = performance.now() - resumedAt;
    const pauseMs = Math.min(MAX_PAUSE_MS, workedMs / SHARE - workedMs);
    const lookMs = Math.min(pauseMs, Math.max(1, LOOK * workedMs));
    const before = utilization();
    await sleep(lookMs);
    if (utilization(before).utilization > BUSY) await sleep(pauseMs - lookMs);
    resumedAt = performance.now();
  };
}
