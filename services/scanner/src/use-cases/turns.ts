import { setImmediate as nextTurn } from 'node:timers/promises';

/** Other work of the process waits no longer than this plus one item. */
const LONGEST_MS = 3;

/** For long loops: awaited before each item, it lets other work of the process run. */
export function turns(): () => Promise<void> | undefined {
  let startedAt = performance.now();
  return () => {
    if (performance.now() - startedAt < LONGEST_MS) return undefined;
    return nextTurn().then(() => {
      startedAt = performance.now();
    });
  };
}
