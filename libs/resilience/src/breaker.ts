export type Breaker = ReturnType<typeof breaker>;

interface BreakerOptions {
  readonly failuresInARow: number;
  readonly pauseMs: number;
  readonly monotonicMs: () => number;
}

/**
 * A circuit breaker. After consecutive failures, no caller may call for a while. Then one caller may try, and its
 * success closes the breaker.
 */
export function breaker({ failuresInARow, pauseMs, monotonicMs }: BreakerOptions) {
  let failures = 0;
  let openUntil: number | undefined;

  return {
    get isOpen(): boolean {
      return openUntil !== undefined;
    },
    /**
     * Returns the milliseconds for which callers must not call the dependency. If this is 0, the caller may call. After
     * a pause only one caller gets 0, and its call is a test for all.
     */
    leftMs(): number {
      if (openUntil === undefined) return 0;
      const now = monotonicMs();
      if (now < openUntil) return openUntil - now;
      openUntil = now + pauseMs;
      return 0;
    },
    worked(): void {
      failures = 0;
      openUntil = undefined;
    },
    /** `requestedMs` is the pause that the dependency itself requested. */
    failed(requestedMs?: number): void {
      failures += 1;
      const pause = requestedMs ?? (failures >= failuresInARow ? pauseMs : undefined);
      if (pause !== undefined) openUntil = Math.max(openUntil ?? 0, monotonicMs() + pause);
    },
  };
}
