import { unavailable } from '@waypost/domain';
import type { Slots } from './slots.ts';

/** Requests of a key weigh for at least this long, and for at most twice as long. */
const RECENT_MS = 10 * 60_000;
const KEYS_MAX = 10_000;

type Waiter = PromiseWithResolvers<void>;

/**
 * At most `running` callers have a slot at the same time, whatever their keys. The next slot goes to the key that asked
 * least often lately. If `waiting` callers wait, a further one takes the place of one whose key asked more often.
 */
export function fairSlots(
  { running, waiting }: { readonly running: number; readonly waiting: number },
  now: () => number = () => performance.now(),
): Slots {
  const lines = new Map<string, Waiter[]>();
  const recent = recentCounts(now);
  let free = running;
  let length = 0;

  function end(): void {
    const next = lineOf('fewest');
    if (next === undefined) free += 1;
    else {
      const [waiter] = lines.get(next)!;
      leave(next, waiter!);
      waiter!.resolve();
    }
  }

  /** Of two equal keys, the one that waits longer comes first. */
  function lineOf(which: 'fewest' | 'most'): string | undefined {
    let first: string | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const key of lines.keys()) {
      const weight = which === 'fewest' ? recent.of(key) : -recent.of(key);
      if (weight < least) [first, least] = [key, weight];
    }
    return first;
  }

  function makeRoomFor(key: string): void {
    const most = lineOf('most');
    if (most === undefined || recent.of(key) >= recent.of(most)) throw crowded();
    const last = lines.get(most)!.at(-1)!;
    leave(most, last);
    last.reject(crowded());
  }

  function leave(key: string, waiter: Waiter): void {
    const line = lines.get(key);
    const at = line?.indexOf(waiter) ?? -1;
    if (at === -1) return;
    line!.splice(at, 1);
    length -= 1;
    if (line!.length === 0) lines.delete(key);
  }

  async function wait(key: string, signal: AbortSignal): Promise<void> {
    if (length >= waiting) makeRoomFor(key);
    const waiter: Waiter = Promise.withResolvers();
    const quit = () => {
      leave(key, waiter);
      waiter.reject(crowded());
    };
    signal.addEventListener('abort', quit, { once: true });
    const line = lines.get(key);
    if (line === undefined) lines.set(key, [waiter]);
    else line.push(waiter);
    length += 1;
    try {
      await waiter.promise;
    } finally {
      signal.removeEventListener('abort', quit);
    }
  }

  return {
    async take(key, signal) {
      if (signal.aborted) throw crowded();
      recent.add(key);
      if (free > 0) free -= 1;
      else {
        await wait(key, signal);
        if (signal.aborted) {
          end();
          throw crowded();
        }
      }
      let ended = false;
      return () => {
        if (!ended) end();
        ended = true;
      };
    },
  };
}

/** Counts the requests of each key in two periods, so that no moment forgets all of them. */
function recentCounts(now: () => number) {
  let [current, before] = [new Map<string, number>(), new Map<string, number>()];
  let since = now();
  return {
    of: (key: string) => (current.get(key) ?? 0) + (before.get(key) ?? 0),
    add(key: string) {
      if (now() - since >= RECENT_MS || current.size >= KEYS_MAX) {
        [current, before] = [new Map(), current];
        since = now();
      }
      current.set(key, (current.get(key) ?? 0) + 1);
    },
  };
}

const crowded = () =>
  unavailable('Too many requests without a valid API key or session are in progress. Try again later.');
