export interface Breaker {
  /** Milliseconds for which the dependency should not be asked. At 0 the caller asks; after a pause it does so for all. */
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

/** After some failures in a row nobody asks for a while; then one caller does, and the others once it was answered. */
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
    failed(asked) {
      failures += 1;
      const pause = asked ?? (failures >= failuresInARow ? pauseMs : undefined);
      if (pause !== undefined) openUntil = Math.max(openUntil ?? 0, monotonicMs() + pause);
    },
  };
}
