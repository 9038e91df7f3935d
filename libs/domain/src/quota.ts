/** The quota counts the creations of one hour, which begins with the account's first creation. */
import { DomainError } from './errors.ts';

export const QUOTA_WINDOW_MS = 3_600_000;

export interface Quota {
  readonly limit: number;
  readonly used: number;
  /** The time when the window ends, or an hour from now if no window is open. */
  readonly resetAt: Date;
}

export interface QuotaWindow {
  readonly start: Date;
  readonly used: number;
}

/** The clocks of two replicas differ by at most this. */
export const QUOTA_CLOCK_SKEW_MS = 60_000;

/**
 * Returns the quota at `now`. `window` is undefined if the account never created a link. If the window begins in the
 * future, the clock was set back. Such a window does not count, so that the account need not wait until the clock
 * reaches it.
 */
export function quotaAt(limit: number, window: QuotaWindow | undefined, now: Date): Quota {
  const ageMs = now.getTime() - (window?.start.getTime() ?? 0);
  const open = window !== undefined && window.used > 0 && ageMs >= -QUOTA_CLOCK_SKEW_MS && ageMs < QUOTA_WINDOW_MS;
  return {
    limit,
    used: open ? window.used : 0,
    resetAt: new Date((open ? window.start.getTime() : now.getTime()) + QUOTA_WINDOW_MS),
  };
}

/**
 * Throws if the quota does not suffice for `count` more links. The error is 400 if the batch is larger than a whole
 * quota, and 429 if it fits after the reset.
 */
export function assertQuota(quota: Quota, count: number, now: Date): void {
  if (count > 1 && count > quota.limit) {
    throw new DomainError(
      'batch_exceeds_window',
      `${count} links exceed the limit of ${quota.limit} creations per hour.`,
      {
        details: { links: `must have at most ${quota.limit} entries, the limit of creations per hour` },
      },
    );
  }
  if (quota.used + count > quota.limit) {
    const remaining = Math.max(0, quota.limit - quota.used);
    throw new DomainError(
      'quota_exceeded',
      `This request needs ${count} ${count === 1 ? 'creation' : 'creations'}, but ${remaining} of ${quota.limit} are left in this hour. Nothing was created.`,
      { retryAfterSeconds: secondsUntil(quota.resetAt, now) },
    );
  }
}

/** Returns the seconds for `Retry-After`, at least 1. */
export function secondsUntil(at: Date, now: Date): number {
  return Math.max(1, Math.ceil((at.getTime() - now.getTime()) / 1000));
}
