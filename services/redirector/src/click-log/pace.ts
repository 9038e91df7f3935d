import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** Share of the event loop that background work may take while visitors need it: with nothing that waits, and with `LONG`. */
const SHARE = { least: 0.15, most: 0.6 };
/** Bytes: some seconds of the clicks of one thread. */
const LONG = 64 * 1024 * 1024;
/** Above this utilisation, visitors need the event loop. */
const BUSY = 0.6;
/** The longest pause: the work always continues. */
const MAX_PAUSE_MS = 2_000;
/** Share of the time worked that every pause lasts, to measure how busy visitors are. */
const MEASURE = 0.25;

/**
 * Visitors come first. Background work calls the returned function between two batches. It rests for a moment and
 * measures how busy the visitors' event loop is. If they need it, it pauses longer, so that the work takes no more than
 * its share. The clicks wait on disk; the share grows with them, so that under a load that lasts they do not become
 * ever more.
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
