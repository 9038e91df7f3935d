export interface Breaker {
  /**
   * Returns the milliseconds for which callers must not call the dependency. If this is 0, the caller may call. After a
   * pause only one caller gets 0, and its call is a test for all.
   */
  leftMs(): number;
  worked(): void;
  /** `pauseMs` is the pause that the dependency itself requested. */
  failed(pauseMs?: number): void;
  readonly isOpen: boolean;
}

export interface BreakerOptions {
  readonly failuresInARow: number;
  readonly pauseMs: number;
  readonly monotonicMs: () => number;
}

/**
 * A circuit breaker. After consecutive failures, no caller may call for a while. Then one caller may try, and its
 * success closes the breaker.
 */
export function breaker({ failuresInARow, pauseMs, monotonicMs }: BreakerOptions): Breaker {
  let failures = 0;
  let openUntil: number | undefined;

  return {
    get isOpen() {
      return openUntil !== undefined;
    },
    leftMs() {
      if (openUntil === undefined) return 0;
      const now = monotonicMs();
      if (now < openUntil) return openUntil - now;
      openUntil = now + pauseMs;
      return 0;
    },
    worked() {
      failures = 0;
      openUntil = undefined;
    },
    failed(requestedMs) {
      failures += 1;
      const pause = requestedMs ?? (failures >= failuresInARow ? pauseMs : undefined);
      if (pause !== undefined) openUntil = Math.max(openUntil ?? 0, monotonicMs() + pause);
    },
  };
}
