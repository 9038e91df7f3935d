/** The creation quota: a fixed window of one hour, opened by the account's first creation in it. */
import { DomainError } from './errors.ts';

export const QUOTA_WINDOW_MS = 3_600_000;

export interface Quota {
  readonly limit: number;
  readonly used: number;
  /** When the window resets; an hour from now if none is open. */
  readonly resetAt: Date;
}

/** As stored with the account. */
export interface QuotaWindow {
  readonly start: Date;
  readonly used: number;
}

/** Upper bound for the clock difference between replicas. */
export const QUOTA_CLOCK_SKEW_MS = 60_000;

/**
 * The quota at `now`, from the account's stored window (undefined if it never created a link). A window that starts in
 * the future is not open: the clock was set back, and the account must not be locked out until it catches up.
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
 * Throws if `count` more links do not fit: 400 for a batch that can never fit, 429 for one that fits after the reset.
 */
export function assertQuota(quota: Quota, count: number, now: Date): void {
  if (count > 1 && count > quota.limit) {
    throw new DomainError('batch_exceeds_window', `${count} links are more than one hour allows (${quota.limit}).`, {
      details: { links: `${count} links are more than the ${quota.limit} of one hour: split the list` },
    });
  }
  if (quota.used + count > quota.limit) {
    const left = Math.max(0, quota.limit - quota.used);
    throw new DomainError(
      'quota_exceeded',
      `This needs ${count} ${count === 1 ? 'creation' : 'creations'}, and ${left} of ${quota.limit} are left this hour. Nothing was created.`,
      { retryAfterSeconds: secondsUntil(quota.resetAt, now) },
    );
  }
}

/** Delta seconds for `Retry-After`: at least 1. */
export function secondsUntil(at: Date, now: Date): number {
  return Math.max(1, Math.ceil((at.getTime() - now.getTime()) / 1000));
}
