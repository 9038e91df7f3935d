/**
 * After a rebalance kafkajs may stay connected and silently consume nothing (docs/kafkajs-pitfalls.md, 10). The
 * symptom: messages wait in our partitions and none is handled. A group with nothing to do, or brokers that do not
 * answer, are not a stall.
 */
export interface WatchdogOptions {
  /** Messages that wait in the partitions of this member. Rejects if the brokers do not answer. */
  readonly lag: () => Promise<bigint>;
  /** Called once. */
  readonly onStall: (forMs: number) => void;
  readonly stallMs: number;
}

export interface Watchdog {
  /** A message was handled, or its handler tried. */
  progress(): void;
  stop(): void;
}

export function startWatchdog({ lag, onStall, stallMs }: WatchdogOptions): Watchdog {
  let moved = false;
  let lagsSince: number | undefined;
  let asking = false;

  const timer = setInterval(() => void look(), stallMs / 4);
  timer.unref();

  async function look(): Promise<void> {
    if (moved) {
      moved = false;
      lagsSince = undefined;
      return;
    }
    if (asking) return;
    asking = true;
    const waiting = await lag().catch(() => 0n);
    asking = false;
    if (moved || waiting === 0n) {
      lagsSince = undefined;
      return;
    }
    const now = performance.now();
    lagsSince ??= now;
    if (now - lagsSince < stallMs) return;
    clearInterval(timer);
    onStall(now - lagsSince);
  }

  return {
    progress() {
      moved = true;
    },
    stop: () => clearInterval(timer),
  };
}
