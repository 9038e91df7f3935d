import type { CacheGeneration } from '@waypost/ports';
import { within } from '@waypost/resilience';

export interface GenerationWatch {
  /**
   * The generation whose entries are valid now; undefined if none are. While the store cannot return it: the last one, since
   * nobody can revoke then either (unless only this redirector is cut off from the store and, at the same time, link-api
   * from Redis).
   */
  current(): Promise<number | undefined>;
  stop(): void;
}

/**
 * Fractions of the lifetime: the interval between two reads, and the time limit of one. Their sum leaves room for late
 * timers.
 */
const READ_EVERY = 1 / 3;
const READ_WITHIN = 1 / 2;

export interface GenerationWatchOptions {
  readonly generation: Pick<CacheGeneration, 'read'>;
  /** How long a read is valid, counted from before the read. */
  readonly lifetimeMs: number;
  readonly monotonicMs: () => number;
}

/**
 * Reads the generation three times per lifetime, from the first call on. A read times out while the previous one is
 * still valid, so that a store that stops answering costs no visitor the cache, not even in the first moment.
 */
export function watchGeneration({ generation, lifetimeMs, monotonicMs }: GenerationWatchOptions): GenerationWatch {
  let value: number | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let first: Promise<void> | undefined;
  let stopped = false;

  async function poll(): Promise<void> {
    const begun = monotonicMs();
    const read = await readInTime();
    if (read === undefined) {
      // The reads of a suspended process fail, too, but that says nothing about the store.
      if (monotonicMs() - begun <= 2 * lifetimeMs) failedAt = monotonicMs();
    } else if (begun > readAt) {
      value = read;
      readAt = begun;
    }
    if (stopped) return;
    timer = setTimeout(() => void poll(), Math.max(0, begun + lifetimeMs * READ_EVERY - monotonicMs()));
    timer.unref();
  }

  function readInTime(): Promise<number | undefined> {
    return within(generation.read(), lifetimeMs * READ_WITHIN, undefined).catch(() => undefined);
  }

  return {
    async current() {
      first ??= poll();
      if (value === undefined) await first;
      const now = monotonicMs();
      if (now - readAt <= lifetimeMs) return value;
      const isStoreAway = failedAt > readAt && now - failedAt <= 2 * lifetimeMs;
      return isStoreAway ? value : undefined;
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
