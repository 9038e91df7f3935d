import type { CacheGeneration } from '@waypost/ports';
import { within } from '@waypost/resilience';

/**
 * What to do while the store cannot be asked for the generation. `trust-cache`: go on with the last one, since then
 * nobody can revoke either (unless only this redirector is cut off from the store, and at the same time link-api from
 * Redis). `fail-closed`: trust the cache no more; every visitor needs the store.
 */
export type WhenStoreIsAway = 'trust-cache' | 'fail-closed';

export interface GenerationWatch {
  /** The generation whose entries may be believed now; undefined if none may. */
  current(): Promise<number | undefined>;
  stop(): void;
}

/** Parts of the lifetime: between two reads, and for one of them. Together less than 1, by what a timer may be late. */
const READ_EVERY = 1 / 3;
const READ_WITHIN = 1 / 2;

export interface GenerationWatchOptions {
  readonly generation: Pick<CacheGeneration, 'read'>;
  /** What was read is believed for so long, counted from before the read. */
  readonly lifetimeMs: number;
  readonly whenStoreIsAway: WhenStoreIsAway;
  readonly monotonicMs: () => number;
}

/**
 * Reads the generation three times in its lifetime, from the first question on. A read is given up while what was read
 * before is still believed: a store that stops answering costs no visitor the cache, not even in the first moment.
 */
export function watchGeneration(options: GenerationWatchOptions): GenerationWatch {
  const { generation, lifetimeMs, whenStoreIsAway, monotonicMs } = options;
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
      // A process that was suspended fails its reads, too, but that says nothing about the store.
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
      return whenStoreIsAway === 'trust-cache' && isStoreAway ? value : undefined;
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
