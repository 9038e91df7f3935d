import { within } from '@waypost/resilience';

export interface GenerationWatch<State> {
  /**
   * Resolves to the generation whose entries are valid now, or to undefined if none are. While the store does not
   * answer, the last known generation stays valid, because nobody can revoke a link either. If only this redirector
   * loses the store, a link may have been revoked: with `refuse`, no generation is valid then.
   */
  current(): Promise<State | undefined>;
  stop(): void;
}

/** Both numbers are shares of the lifetime. Their sum is below 1, so that a late timer does not end the validity. */
const READ_EVERY = 1 / 3;
const READ_WITHIN = 1 / 2;

/** What a redirector does with the cache while it cannot reach the store. */
export type WhenCutOff = 'redirect' | 'refuse';

export interface GenerationWatchOptions<State> {
  readonly generation: { read(): Promise<State> };
  /** A read is valid for this long, counted from its start. */
  readonly lifetimeMs: number;
  readonly whenCutOff?: WhenCutOff | undefined;
  readonly monotonicMs: () => number;
}

/**
 * Reads the generation three times per lifetime, starting with the first call of `current`. A read that gets no answer
 * ends while the previous one is still valid, so visitors keep the cache.
 */
export function watchGeneration<State>({
  generation,
  lifetimeMs,
  whenCutOff = 'redirect',
  monotonicMs,
}: GenerationWatchOptions<State>): GenerationWatch<State> {
  /** `readAt` is when the last successful read began, and `failedAt` is when a read last failed. */
  const last = {
    value: undefined as State | undefined,
    readAt: Number.NEGATIVE_INFINITY,
    failedAt: Number.NEGATIVE_INFINITY,
  };
  let timer: NodeJS.Timeout | undefined;
  let first: Promise<void> | undefined;
  let stopped = false;

  async function poll(): Promise<void> {
    const startedAt = monotonicMs();
    const generation = await readInTime();
    if (generation === undefined) {
      // If the process was suspended, the read also fails, but the store may be well.
      if (monotonicMs() - startedAt <= 2 * lifetimeMs) last.failedAt = monotonicMs();
    } else if (startedAt > last.readAt) {
      last.value = generation;
      last.readAt = startedAt;
    }
    if (stopped) return;
    timer = setTimeout(() => void poll(), Math.max(0, startedAt + lifetimeMs * READ_EVERY - monotonicMs()));
    timer.unref();
  }

  function readInTime(): Promise<State | undefined> {
    return within(generation.read(), lifetimeMs * READ_WITHIN, undefined).catch(() => undefined);
  }

  return {
    async current() {
      first ??= poll();
      if (last.value === undefined) await first;
      const now = monotonicMs();
      const { value, readAt, failedAt } = last;
      if (now - readAt <= lifetimeMs) return value;
      if (whenCutOff === 'refuse') return undefined;
      const isStoreAway = failedAt > readAt && now - failedAt <= 2 * lifetimeMs;
      return isStoreAway ? value : undefined;
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
