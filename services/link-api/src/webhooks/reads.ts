import type { StoredClicks } from '@waypost/ports';
import { slots } from '@waypost/resilience';

/** The process reads clicks for one webhook at a time, so that the figures of accounts have the click store. */
export function oneAtATime(clicks: StoredClicks): StoredClicks {
  const reads = slots({ running: 1, waiting: 100 });
  const oneByOne =
    <A extends unknown[], T>(read: (...parameters: A) => Promise<T>) =>
    async (...parameters: A): Promise<T> => {
      const end = await reads.take('', NEVER);
      return read(...parameters).finally(end);
    };
  return {
    accountsSince: oneByOne(clicks.accountsSince),
    next: oneByOne(clicks.next),
    hasMore: oneByOne(clicks.hasMore),
    read: oneByOne(clicks.read),
  };
}

const NEVER = new AbortController().signal;
