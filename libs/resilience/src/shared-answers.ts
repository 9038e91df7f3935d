import { untilAborted } from './time.ts';

export type SharedAnswers<T> = ReturnType<typeof sharedAnswers<T>>;

interface Entry<T> {
  readonly answer: Promise<T>;
  readonly ended: AbortController;
  readonly keptUntil: number;
  isSettled: boolean;
  waiting: number;
}

/** An answer is valid for `keepMs` from the start of its work; concurrent callers share it. Failures are not kept. */
export function sharedAnswers<T>({
  keepMs,
  size,
  now = () => performance.now(),
}: {
  readonly keepMs: number;
  readonly size: number;
  readonly now?: () => number;
}) {
  /** The oldest entry is first. */
  const entries = new Map<string, Entry<T>>();

  function forget(key: string, entry: Entry<T>): void {
    if (entries.get(key) === entry) entries.delete(key);
  }

  function begin(key: string, work: (signal: AbortSignal) => Promise<T>): Entry<T> {
    for (const [old, { keptUntil }] of entries) {
      if (keptUntil > now() && entries.size < size) break;
      entries.delete(old);
    }
    const ended = new AbortController();
    const entry = { answer: work(ended.signal), ended, keptUntil: now() + keepMs, isSettled: false, waiting: 0 };
    entries.set(key, entry);
    entry.answer.then(
      () => {
        entry.isSettled = true;
      },
      () => {
        entry.isSettled = true;
        forget(key, entry);
      },
    );
    return entry;
  }

  return {
    /**
     * Resolves to the cached or pending answer for this key, or calls `work`. The signal of `work` aborts when no
     * caller waits any more.
     */
    async get(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      const cached = entries.get(key);
      const entry = cached !== undefined && cached.keptUntil > now() ? cached : begin(key, work);
      entry.waiting++;
      try {
        return await untilAborted(entry.answer, signal);
      } finally {
        if (--entry.waiting === 0 && !entry.isSettled) {
          forget(key, entry);
          entry.ended.abort();
        }
      }
    },
  };
}
