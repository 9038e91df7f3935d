import { setTimeout as sleep } from 'node:timers/promises';

/** Waits, but no longer than until `signal` says that waiting is over. Never rejects. */
export async function rest(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}

/** What `work` resolves to, or `late` after so many milliseconds. Rejects as it does; late, it goes on unheard. */
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
