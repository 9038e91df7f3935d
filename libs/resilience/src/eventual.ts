import { unavailable } from '@waypost/domain';
import { type BackOff, backOffMs } from './back-off.ts';
import { rest } from './time.ts';

const BACK_OFF: BackOff = { first: 200, most: 3_000 };

/** Opens a dependency, with back-off and jitter, until it succeeds. So services can start in any order. */
export function eventual<T>(
  what: string,
  open: () => Promise<T>,
  logger: { warn(message: string, fields: object): void },
  close: (opened: T) => Promise<void> = async () => undefined,
) {
  let opened: T | undefined;
  const stopping = new AbortController();
  const there = (async () => {
    for (let attempt = 1; ; attempt++) {
      try {
        opened = await open();
        return opened;
      } catch (error) {
        if (stopping.signal.aborted) throw error;
        logger.warn(`${what} is not available yet`, { error: error instanceof Error ? error.message : String(error) });
        await rest(backOffMs(BACK_OFF, attempt), stopping.signal);
        if (stopping.signal.aborted) throw error;
      }
    }
  })();
  there.catch(() => undefined); // callers see the failure in `now` or `there`
  return {
    /** Throws `unavailable` until the dependency is open. */
    now: (): T => {
      if (opened === undefined) throw unavailable(`The ${what} is unavailable. Try again later.`);
      return opened;
    },
    there,
    stop: async (): Promise<void> => {
      stopping.abort();
      await there.then(close, () => undefined);
    },
  };
}
