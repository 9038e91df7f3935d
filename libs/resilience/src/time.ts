import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for `ms`, or until `signal` aborts. Never rejects. */
export async function rest(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}

/** Resolves to the result of `work`, or to `late` after `ms`. Rejects as `work` does; a late rejection is ignored. */
export async function within<T, Late>(work: Promise<T>, ms: number, late: Late): Promise<T | Late> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Late>((resolve) => {
    timer = setTimeout(resolve, ms, late);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
