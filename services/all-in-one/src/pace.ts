import { performance } from 'node:perf_hooks';

export interface PaceOptions {
  /** Share of the event loop that the work may take while visitors need it. */
  readonly share: number;
  /** Above this utilisation of the event loop, somebody needs it. */
  readonly busy: number;
  /** A pause is no longer than this: the work goes on at its slowest. */
  readonly maxPauseMs: number;
}

const DEFAULTS: PaceOptions = { share: 0.15, busy: 0.6, maxPauseMs: 2_000 };

/**
 * Visitors come first: what is called between two batches of background work pauses while the event loop is busy, so
 * that the work takes no more than its share, and does not pause while it is idle. The clicks wait on disk.
 */
export function pace(options: Partial<PaceOptions> = {}): () => Promise<void> {
  const { share, busy, maxPauseMs } = { ...DEFAULTS, ...options };
  let last = performance.eventLoopUtilization();
  let resumedAt = performance.now();
  return async () => {
    const workedMs = performance.now() - resumedAt;
    const { utilization } = performance.eventLoopUtilization(last);
    if (utilization > busy) {
      const pauseMs = Math.min(maxPauseMs, workedMs / share - workedMs);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    last = performance.eventLoopUtilization();
    resumedAt = performance.now();
  };
}
