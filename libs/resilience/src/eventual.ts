import { unavailable } from '@waypost/domain';
import { type BackOff, backOffMs } from './back-off.ts';
import { rest } from './time.ts';

export interface Eventual<T> {
  /** Throws `unavailable` until it is there. */
  now(): T;
  /** Resolves when it is. */
  readonly there: Promise<T>;
}

const BACK_OFF: BackOff = { first: 200, most: 3_000 };

/** Tries to open a neighbour until it succeeds, with growing pauses and jitter, so that services start in any order. */
export function eventual<T>(
  what: string,
  open: () => Promise<T>,
  close: (opened: T) => Promise<void>,
  logger: { warn(message: string, fields: object): void },
): Eventual<T> & { stop(): Promise<void> } {
  let opened: T | undefined;
  const stopping = new AbortController();
  const there = (async () => {
    for (let attempt = 1; ; attempt++) {
      try {
        opened = await open();
        return opened;
      } catch (error) {
        if (stopping.signal.aborted) throw error;
        logger.warn(`${what} is not there yet`, { error: error instanceof Error ? error.message : String(error) });
        await rest(backOffMs(BACK_OFF, attempt), stopping.signal);
        if (stopping.signal.aborted) throw error;
      }
    }
  })();
  there.catch(() => undefined); // whoever needs it asks `now` or `there`
  return {
    now: () => {
      if (opened === undefined) throw unavailable(`The ${what} cannot be reached right now.`);
      return opened;
    },
    there,
    stop: async () => {
      stopping.abort();
      await there.then(close, () => undefined);
    },
  };
}
