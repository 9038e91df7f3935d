import { LIMITS } from '@waypost/domain';
import type { AddressLimit, Concurrency } from '../platform/limits.ts';

/** People who have signed in before share one queue, in which no stranger stands. */
export const PASSWORDS: Concurrency = { running: 1, waiting: 100 };
/** Each hash takes 19 MiB and a thread. */
export const GUESSES: Concurrency = { running: 1, waiting: 100, ofStrangers: true };
/** Each needs a request to the provider. */
export const PROVIDER_ANSWERS: Concurrency = { running: 8, waiting: 100, ofStrangers: true };

/** Each attempt creates rows and costs a hash. */
export const SIGN_INS_OF_ADDRESS: AddressLimit = { most: 60, inMs: 60_000 };
/** Anybody can invent the cookie of a sign-in, so the number of answers is limited. */
export const PROVIDER_ANSWERS_OF_ADDRESS: AddressLimit = { most: 60, inMs: 60_000 };

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
} as const;
