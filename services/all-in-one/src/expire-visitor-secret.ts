/** Deletes the previous visitor secret on its date, also in a process that runs for months (decision 0031). */
import type { Redirector } from '@waypost/redirector';
import type { Engines } from './engines.ts';

export const EXPIRY_EVERY_MS = 3_600_000;

/** Returns the work of a job: it loads the secrets, which deletes what is over, and then tells the redirector. */
export function expireVisitorSecret(
  { visitorSecret, loadVisitorSecret }: Pick<Engines, 'visitorSecret' | 'loadVisitorSecret'>,
  redirector: Pick<Redirector, 'rotate'>,
  now: () => Date,
): () => Promise<number> {
  let inUse = visitorSecret;
  return async () => {
    const secret = loadVisitorSecret(now());
    if (inUse.previous !== undefined && secret.previous === undefined) await redirector.rotate(secret);
    inUse = secret;
    return EXPIRY_EVERY_MS;
  };
}
