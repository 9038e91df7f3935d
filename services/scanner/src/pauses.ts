import { setImmediate as nextTurn } from 'node:timers/promises';

/** Other work of the process waits at most for this time and one item. */
const LONGEST_MS = 3;

/** For long loops. Awaited before each item, it lets other work of the process run. */
export function pauses(): () => Promise<void> | undefined {
  let startedAt = performance.now();
  return () => {
    if (performance.now() - startedAt < LONGEST_MS) return undefined;
    return nextTurn().then(() => {
      startedAt = performance.now();
    });
  };
}
