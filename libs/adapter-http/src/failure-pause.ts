/** A breaker: after some failures in a row, or when told so, nobody asks for a while. */
export interface FailurePause {
  /** Nobody should ask for so long; 0 if now is fine. */
  leftMs(): number;
  worked(): void;
  /** `pauseMs`: what the other side asked for. */
  failed(pauseMs?: number): void;
}

export function failurePause(options: {
  readonly failuresInARow: number;
  readonly pauseMs: number;
  readonly monotonicMs: () => number;
}): FailurePause {
  const { failuresInARow, pauseMs, monotonicMs } = options;
  let failures = 0;
  let until = 0;

  return {
    leftMs: () => Math.max(0, until - monotonicMs()),
    worked() {
      failures = 0;
      until = 0;
    },
    failed(asked) {
      failures += 1;
      // Past the limit each failure pauses again: one that asks finds out for all.
      const mine = asked ?? (failures >= failuresInARow ? pauseMs : 0);
      until = Math.max(until, monotonicMs() + mine);
    },
  };
}
