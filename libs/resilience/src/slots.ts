import { unavailable } from '@waypost/domain';

export interface Slots {
  /**
   * Resolves to a function that releases the slot. Rejects if too many callers wait, or when `signal` aborts, even if
   * the slot came right before: a caller that is gone would never release it.
   */
  take(key: string, signal: AbortSignal): Promise<() => void>;
}

interface Line {
  running: number;
  readonly waiting: (() => void)[];
}

/** For each key, at most `running` callers have a slot at the same time. At most `waiting` others wait, in order. */
export function slots({ running, waiting }: { readonly running: number; readonly waiting: number }): Slots {
  const lines = new Map<string, Line>();

  function end(key: string, line: Line): void {
    const next = line.waiting.shift();
    if (next !== undefined)
      next(); // the slot goes to the next caller
    else if (--line.running === 0) lines.delete(key);
  }

  return {
    async take(key, signal) {
      if (signal.aborted) throw gone();
      const line = lines.get(key) ?? { running: 0, waiting: [] };
      lines.set(key, line);
      if (line.running < running) line.running++;
      else if (line.waiting.length >= waiting)
        throw unavailable('Your account has too many requests in progress. Try again later.');
      else {
        await new Promise<void>((resolve, reject) => {
          const leave = () => {
            line.waiting.splice(line.waiting.indexOf(begin), 1);
            reject(gone());
          };
          const begin = () => {
            signal.removeEventListener('abort', leave);
            resolve();
          };
          signal.addEventListener('abort', leave, { once: true });
          line.waiting.push(begin);
        });
        if (signal.aborted) {
          end(key, line);
          throw gone();
        }
      }
      let ended = false;
      return () => {
        if (!ended) end(key, line);
        ended = true;
      };
    },
  };
}

const gone = () => unavailable('Other requests of your account took too long. Try again later.');
