import { DomainError } from '@waypost/domain';
import { countAttempt, type SignInAttempts } from '../platform/attempts.ts';
import { hashSecret } from '../platform/hash-secret.ts';
import { getWebhook } from './get.ts';
import type { Waker } from './ports.ts';
import type { Webhooks } from './webhooks.port.ts';

export interface RequestDeps {
  readonly webhooks: Pick<Webhooks, 'find'>;
  readonly webhooking: Pick<Waker, 'emit'>;
  readonly attempts: Pick<SignInAttempts, 'count'>;
  readonly now: () => Date;
}

/** Tests and replays of one account in 15 minutes. Each sends a request to an address that the account chose. */
const REQUESTS_MAX = 100;

/** The endpoints' descriptions and the error have this sentence. */
export const REQUESTS_LIMIT = `An account may request up to ${REQUESTS_MAX} tests and replays in 15 minutes.`;

/** Counts a request for a message. Throws `webhook_not_found`, `webhook_disabled` and `too_many_attempts`. */
export async function countRequest(deps: RequestDeps, accountId: string, id: string): Promise<void> {
  if ((await getWebhook(deps, accountId, id)).disabled !== null)
    throw new DomainError('webhook_disabled', 'This webhook is disabled. Enable it first.');
  await countAttempt(deps, hashSecret(`webhook messages of ${accountId}`), REQUESTS_MAX, REQUESTS_LIMIT);
}
