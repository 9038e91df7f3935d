/** Which limit holds for whom, beside the quota of creations (libs/domain/src/quota.ts). */
import { type Turns, turns } from '@waypost/resilience';

/**
 * What runs at once in this process. What is more waits its turn within the time of an answer, and is never 429. By
 * account, unless a line says another: whatever one account asks at once, others find connections, lanes of the click
 * store and the scanner free. A revoke never waits.
 */
const AT_ONCE = {
  reads: { running: 2, waiting: 500 },
  analytics: { running: 2, waiting: 500 },
  /** With the reading of the body, whose memory it bounds. */
  creations: { running: 8, waiting: 500 },
  dryRuns: { running: 1, waiting: 500 },
  /** To the tool server, for their memory. */
  largeMessages: { running: 8, waiting: 500 },
  /** Of strangers, and of owners: each hash takes 19 MiB and a thread. */
  passwords: { running: 1, waiting: 100 },
  /** Of all together: each asks the provider, and anybody may send one. */
  providerAnswers: { running: 8, waiting: 100 },
} as const;

export type TurnsByName = Readonly<Record<keyof typeof AT_ONCE, Turns>>;

export const allTurns = (): TurnsByName =>
  Object.fromEntries(Object.entries(AT_ONCE).map(([name, bounds]) => [name, turns(bounds)])) as TurnsByName;

/**
 * Requests under way at this listener. Five hundred creations take about half a second here, and a machine of a tenth of
 * that answers them in time, too (libs/domain/decisions/0012-request-limits-and-fair-shares.md).
 */
export const UNDER_WAY = {
  /** From here on, only clients with fewer than `each` are let in. */
  full: 500,
  most: 1_000,
  each: 16,
  /** The 503 waits, since a client that has it may ask again at once, and thousands of those leave no time for others. */
  holdMs: 500,
};

export interface AddressLimit {
  readonly most: number;
  readonly inMs: number;
}
const MINUTE_MS = 60_000;

/** What one address may ask for, in this process. */
export const OF_ADDRESS = {
  /** Each is a row, and one by password a hash as well. */
  signIns: { most: 200, inMs: MINUTE_MS },
  /** Each is a row. */
  challenges: { most: 60, inMs: MINUTE_MS },
  /** The cookie of a sign-in is easily made up. */
  providerAnswers: { most: 60, inMs: MINUTE_MS },
  cases: { most: 10, inMs: 60 * MINUTE_MS },
} as const;

/** What may be tried in 15 minutes, counted in the store: for all replicas together. */
export const ATTEMPTS = {
  /** To sign in, by e-mail address, whether or not there is such an account; of a session, by its account. */
  passwords: 10,
  testsOfWebhook: 10,
  /** Tests and replays of an account: each is a request to an address that it chose. */
  webhookMessages: 100,
} as const;
