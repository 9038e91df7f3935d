import { setImmediate as nextTurn } from 'node:timers/promises';

/** Other work of the process waits no longer than this, and one item. */
const LONGEST_MS = 3;

/** For a loop over much work: awaited before each item, it lets other work of the process have its turn. */
export function turns(): () => Promise<void> | undefined {
  let begun = performance.now();
  return () => {
    if (performance.now() - begun < LONGEST_MS) return undefined;
    return nextTurn().then(() => {
      begun = performance.now();
    });
  };
}
