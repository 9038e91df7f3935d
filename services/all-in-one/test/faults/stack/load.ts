import http from 'node:http';
import { pause } from '@waypost/test-support';
import { visit } from '../visitors.ts';

export interface Load {
  answered(): number;
  /** Returns all other outcomes, and how often each occurred. */
  others(): Record<string, number>;
  /** Returns the milliseconds from the beginning of the first of these to the end of the last. */
  othersForMs(): number;
  bySlug(): ReadonlyMap<string, number>;
  /** Returns the times of the answers since the last call, in milliseconds, sorted. */
  takeTimes(): number[];
  stop(): Promise<void>;
}

export function startLoad(redirect: string, slugs: readonly string[], perSecond: number): Load {
  const CONNECTIONS = 16;
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const bySlug = new Map<string, number>();
  const others: Record<string, number> = {};
  let answered = 0;
  let firstOther: number | undefined;
  let lastOther = 0;
  let times: number[] = [];
  let running = true;
  const ended = Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, connection) => {
      const everyMs = (1_000 * CONNECTIONS) / perSecond;
      let due = performance.now() + (everyMs * connection) / CONNECTIONS;
      for (let n = connection; running; n += CONNECTIONS) {
        await pause(Math.max(0, due - performance.now()));
        // Late visits are skipped, because catching up would be a burst.
        due = Math.max(due + everyMs, performance.now());
        const slug = slugs[n % slugs.length]!;
        const began = performance.now();
        const seen = await visit(redirect, slug, agent);
        if (seen?.status === 302) {
          answered += 1;
          bySlug.set(slug, (bySlug.get(slug) ?? 0) + 1);
          times.push(seen.ended - seen.began);
        } else {
          firstOther = Math.min(firstOther ?? began, began);
          lastOther = performance.now();
          const what = String(seen?.status ?? 'broken off');
          others[what] = (others[what] ?? 0) + 1;
        }
      }
    }),
  );
  return {
    answered: () => answered,
    others: () => others,
    othersForMs: () => (firstOther === undefined ? 0 : lastOther - firstOther),
    bySlug: () => bySlug,
    takeTimes() {
      const taken = times.sort((a, b) => a - b);
      times = [];
      return taken;
    },
    async stop() {
      running = false;
      await ended;
      agent.destroy();
    },
  };
}

export const percentile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
