/** What the platform limits. A slice declares its own limits; the quota of creations is in libs/domain/src/quota.ts. */
import { fairSlots, type Slots, slots } from '@waypost/resilience';

/**
 * How many requests run at once in this process, for each account. Further requests wait until the response deadline
 * and never get 429. One account therefore cannot use all connections to the click store or the scanner. A revoke never
 * waits.
 */
export interface Concurrency {
  readonly running: number;
  readonly waiting: number;
  /** The callers are those without a verified key or session, all together. Addresses alternate. */
  readonly ofStrangers?: true;
}

export type SlotsOf = (concurrency: Concurrency) => Slots;

export function slotsByConcurrency(): SlotsOf {
  const all = new Map<Concurrency, Slots>();
  return (concurrency) => {
    const existing = all.get(concurrency);
    if (existing !== undefined) return existing;
    const created = concurrency.ofStrangers ? fairSlots(concurrency) : slots(concurrency);
    all.set(concurrency, created);
    return created;
  };
}

export const READS: Concurrency = { running: 2, waiting: 500 };

/** Each may use one of the 20 connections to the database, so 14 are left to the others. */
export const STRANGERS: Concurrency = { running: 6, waiting: 500, ofStrangers: true };

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
/** Requests of an address without a verified key or session, but for files of the dashboard. */
export const REQUESTS: AddressLimit = { most: 200, inMs: 10_000 };

/** Incomplete bodies of such requests. An address may have `each`; above `most`, the oldest is answered 503. */
export const OPEN_BODIES = { most: 1_000, each: 8 };
