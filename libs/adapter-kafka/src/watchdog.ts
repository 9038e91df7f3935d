/**
 * After a rebalance kafkajs may stay connected and consume nothing, silently (docs/kafkajs-pitfalls.md, 10). The sign:
 * messages wait in a partition of ours while none is handled. A group with nothing to do, and brokers that cannot be
 * asked, are no stall.
 */
export interface WatchdogOptions {
  /** Messages that wait in the partitions of this member. Rejects if that cannot be found out. */
  readonly lag: () => Promise<bigint>;
  /** Called once. */
  readonly onStall: (forMs: number) => void;
  readonly stallMs: number;
}

export interface Watchdog {
  /** Something was handled, or its handler tried. */
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
