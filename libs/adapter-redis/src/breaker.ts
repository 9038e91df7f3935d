/** After a failure nobody asks for a while; then one does, and the others only if it was answered. */
export interface Breaker {
  /** Resolves to undefined if it is not asked now, or fails. */
  attempt<T>(work: () => Promise<T>): Promise<T | undefined>;
  readonly isOpen: boolean;
}

export function breaker(pauseMs: number, monotonicMs: () => number): Breaker {
  let skipUntil = 0;
  let isOpen = false;

  return {
    get isOpen() {
      return isOpen;
    },
    async attempt(work) {
      if (isOpen) {
        const now = monotonicMs();
        if (now < skipUntil) return undefined;
        skipUntil = now + pauseMs; // this caller tries it for all
      }
      try {
        const answer = await work();
        isOpen = false;
        return answer;
      } catch {
        isOpen = true;
        skipUntil = monotonicMs() + pauseMs;
        return undefined;
      }
    },
  };
}
