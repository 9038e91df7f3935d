import type { StoredClicks } from '@waypost/ports';
import { turns } from '@waypost/resilience';

/** The process reads clicks for one webhook at a time, so that the figures of accounts have the click store. */
export function oneAtATime(clicks: StoredClicks): StoredClicks {
  const reads = turns({ running: 1, waiting: 100 });
  const inTurn =
    <A extends unknown[], T>(read: (...parameters: A) => Promise<T>) =>
    async (...parameters: A): Promise<T> => {
      const end = await reads.take('', NEVER);
      return read(...parameters).finally(end);
    };
  return {
    accountsSince: inTurn(clicks.accountsSince),
    next: inTurn(clicks.next),
    hasMore: inTurn(clicks.hasMore),
    read: inTurn(clicks.read),
  };
}

const NEVER = new AbortController().signal;
