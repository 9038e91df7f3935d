export interface Breaker {
  /**
   * Milliseconds for which callers must leave the dependency alone. At 0 the caller may call; after a pause, this
   * caller is the probe for all.
   */
  leftMs(): number;
  worked(): void;
  /** `pauseMs`: how long the dependency itself asked to be left alone. */
  failed(pauseMs?: number): void;
  readonly isOpen: boolean;
}

export interface BreakerOptions {
  readonly failuresInARow: number;
  readonly pauseMs: number;
  readonly monotonicMs: () => number;
}

/**
 * A circuit breaker: some consecutive failures open it for a while; then one caller probes, and its success closes it.
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
