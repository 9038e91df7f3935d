/**
 * After a rebalance kafkajs may stay connected and receive nothing (docs/kafkajs-pitfalls.md, 10). The watchdog notices
 * when messages wait in our partitions and none is handled. It ignores a group without waiting messages, and brokers
 * that do not answer.
 */
interface WatchdogOptions {
  /** Resolves to the number of messages that wait in our partitions. Rejects if the brokers do not answer. */
  readonly lag: () => Promise<bigint>;
  /** Called once, with the milliseconds for which messages have waited. */
  readonly onStall: (forMs: number) => void;
  readonly stallMs: number;
}

export type Watchdog = ReturnType<typeof startWatchdog>;

export function startWatchdog({ lag, onStall, stallMs }: WatchdogOptions) {
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
    /** Call it whenever a message was handled or a handler starts. */
    progress(): void {
      moved = true;
    },
    stop: () => clearInterval(timer),
  };
}
