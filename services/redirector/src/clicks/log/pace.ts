import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The share of the event loop for background work while visitors need it: `least` for an empty log, `most` for a long
 * one.
 */
const SHARE = { least: 0.15, most: 0.6 };
/** In bytes. One thread captures this much in some seconds. */
const LONG = 64 * 1024 * 1024;
const BUSY = 0.6;
const MAX_PAUSE_MS = 2_000;
/** Each pause lasts at least this share of the work before it, to measure how busy visitors are. */
const MEASURE = 0.25;

/**
 * Keeps background work from delaying visitors. The work calls the returned function between two batches. The pause is
 * longer while visitors need the event loop. The share of the work grows with the waiting clicks, so that they do not
 * grow without limit.
 */
export function pace(utilization = performance.eventLoopUtilization): (waitingBytes?: number) => Promise<void> {
  let resumedAt = performance.now();
  return async (waitingBytes = 0) => {
    const workedMs = performance.now() - resumedAt;
    const share = SHARE.least + (SHARE.most - SHARE.least) * Math.min(1, waitingBytes / LONG);
    const pauseMs = Math.min(MAX_PAUSE_MS, workedMs / share - workedMs);
    const measureMs = Math.min(pauseMs, Math.max(1, MEASURE * workedMs));
    const before = utilization();
    await sleep(measureMs);
    if (utilization(before).utilization > BUSY) await sleep(pauseMs - measureMs);
    resumedAt = performance.now();
  };
}
