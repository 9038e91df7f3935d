/** All limits except the quota of creations, which is in libs/domain/src/quota.ts. */
import { LIMITS } from '@waypost/domain';
import { fairTurns, type Turns, turns } from '@waypost/resilience';

/**
 * How many requests run at once in this process, for each account unless a comment says otherwise. Further requests
 * wait until the response deadline and never get 429. One account therefore cannot use all connections to the click
 * store or the scanner. A revoke never waits.
 */
const AT_ONCE = {
  reads: { running: 2, waiting: 500 },
  analytics: { running: 2, waiting: 500 },
  /** The limit includes reading the body, and so limits the memory for bodies. */
  creations: { running: 8, waiting: 500 },
  dryRuns: { running: 1, waiting: 500 },
  /** Large messages to the tool server wait, because each needs memory. */
  largeMessages: { running: 8, waiting: 500 },
  /** People who have signed in before share one queue, in which no stranger stands. */
  passwords: { running: 1, waiting: 100 },
} as const;

/** How much of this process callers without a verified key or session may use, all together. Addresses take turns. */
const OF_STRANGERS = {
  /** Each may use one of the 20 connections to the database, so 14 are left to the others. */
  strangers: { running: 6, waiting: 500 },
  /** Each hash takes 19 MiB and a thread. */
  guesses: { running: 1, waiting: 100 },
  /** Each needs a request to the provider. */
  providerAnswers: { running: 8, waiting: 100 },
} as const;

export type TurnsByName = Readonly<Record<keyof typeof AT_ONCE | keyof typeof OF_STRANGERS, Turns>>;

export const allTurns = (): TurnsByName =>
  Object.fromEntries([
    ...Object.entries(AT_ONCE).map(([name, bounds]) => [name, turns(bounds)]),
    ...Object.entries(OF_STRANGERS).map(([name, bounds]) => [name, fairTurns(bounds)]),
  ]) as TurnsByName;

/**
 * Limits the requests in flight at this server whose credential was verified. Five hundred creations take about half a
 * second on the machine where we measured. A machine ten times slower therefore still answers in time
 * (libs/domain/decisions/0012-request-limits-and-fair-shares.md).
 */
export const UNDER_WAY = {
  /** From this number on, only accounts with fewer than `each` requests are admitted. */
  full: 500,
  most: 1_000,
  each: 16,
  /** The 503 waits this long, because thousands of clients that retry at once would leave no time for others. */
  holdMs: 500,
};

export interface AddressLimit {
  readonly most: number;
  readonly inMs: number;
}
const MINUTE_MS = 60_000;

/** Requests of an address without a verified key or session, but for files of the dashboard. */
export const REQUESTS: AddressLimit = { most: 200, inMs: 10_000 };

/** Incomplete bodies of such requests. An address may have `each`; above `most`, the oldest is answered 503. */
export const OPEN_BODIES = { most: 1_000, each: 8 };

export const OF_ADDRESS = {
  /** Each attempt creates rows and costs a hash. */
  signIns: { most: 60, inMs: MINUTE_MS },
  /** Anybody can invent the cookie of a sign-in, so the number of answers is limited. */
  providerAnswers: { most: 60, inMs: MINUTE_MS },
  cases: { most: 10, inMs: 60 * MINUTE_MS },
} as const;

/** Attempts per 15 minutes. The store counts them for all replicas together. */
export const ATTEMPTS = {
  /**
   * Sign-ins are counted by e-mail address and site (the first 48 bits of an IPv6 address), even if no account has the
   * e-mail address; those from a browser that signed in before by this browser; attempts within a session by account.
   */
  passwords: 10,
  /** Sign-ins of one e-mail address from all networks together, except those from a browser that signed in before. */
  passwordsOfAll: 50,
  sessions: LIMITS.signInsPerAccount,
  /** Tests and replays of one account. Each sends a request to an address that the account chose. */
  webhookMessages: 100,
} as const;
