/** The dashboard uses the published client, but signs in with the session cookie instead of an API key. */
import { Waypost, WaypostError } from '@waypost/sdk';

export type * from '@waypost/sdk';
export { WaypostError as ApiError };

const client = (retries: number) =>
  new Waypost({
    url: location.origin,
    apiKey: '',
    retries,
    maxWaitMs: 6_000,
    // The server ignores the cookie of a request that has an API key, so the key is removed.
    fetch: (input, init) => {
      const headers = new Headers(init?.headers);
      for (const name of ['Authorization', 'User-Agent']) headers.delete(name);
      return fetch(input, { ...init, headers });
    },
  });
/** Use this client for reads and for creations: an `Idempotency-Key` makes creations safe to repeat. */
export const waypost = client(2);
/** This client never retries. Use it for actions whose result the user must see at once. */
export const once = client(0);

export const isSignedOut = (error: unknown): boolean => error instanceof WaypostError && error.status === 401;

/** An error has this code when the browser is offline and nothing was sent. */
export const OFFLINE = 'offline';

/**
 * Throws an error with the code `OFFLINE` if Waypost cannot be reached. `navigator.onLine` alone proves nothing,
 * because Waypost may run on this device.
 */
export async function assertOnline(): Promise<void> {
  if (navigator.onLine) return;
  await once.health().catch((error: unknown) => {
    if (error instanceof WaypostError && error.code === 'no_answer') throw new WaypostError('', { code: OFFLINE });
  });
}
