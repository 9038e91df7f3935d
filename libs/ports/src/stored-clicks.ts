import type { Device } from '@waypost/domain';

/** A place in the clicks of an account, in the order in which they were first stored. */
export interface ClickPlace {
  /** Unix seconds of the store's clock. */
  readonly at: number;
  readonly id: string;
}

/** The clicks after one place, up to another. It has the same clicks whenever it is read. */
export interface ClickRange {
  readonly after: ClickPlace;
  readonly to: ClickPlace;
  /** Unix milliseconds. Earlier visits are left out, even if they were stored later. */
  readonly since: number;
}

export interface StoredClick {
  readonly id: string;
  readonly slug: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly country: string;
  readonly device: Device;
  readonly browser: string;
  /** The host, or `direct`. */
  readonly referrer: string;
  readonly isBot: boolean;
}

/**
 * Reads clicks in the order in which they were stored. A click can be read some seconds after it was stored
 * (`SETTLE_SECONDS` of the adapter), when no other click can still be stored before it. Every method rejects with
 * `unavailable` when the store is away.
 */
export interface StoredClicks {
  /** Resolves to the accounts with clicks that could not be read at `since`. `until` is the next `since`. */
  accountsSince(since: number | undefined): Promise<{ readonly accounts: readonly string[]; readonly until: number }>;
  /**
   * Resolves to the end of the next `most` rows of an account, and whether as many are there. Undefined if there is
   * none. A click that was stored several times is several rows.
   */
  next(
    accountId: string,
    from: Pick<ClickRange, 'after' | 'since'>,
    most: number,
  ): Promise<{ readonly to: ClickPlace; readonly full: boolean } | undefined>;
  /** Whether an account has more rows than this after a place. */
  hasMore(accountId: string, from: Pick<ClickRange, 'after' | 'since'>, than: number): Promise<boolean>;
  /** Resolves to each click that was first stored in the range, in that order. */
  read(accountId: string, range: ClickRange): Promise<readonly StoredClick[]>;
}
