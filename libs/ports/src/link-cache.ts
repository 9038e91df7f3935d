import type { RedirectRecord } from '@waypost/domain';

/** The most that a call of `announce`, `put` or `replace` takes: for itself, and for each thousand records of it. */
export const CACHE_WRITE_MAX_MS = { perCall: 2_000, perThousand: 500 };

/** The first place where redirectors look. Versioned: an older record never replaces a newer one. */
export interface LinkCache {
  /**
   * Undefined if the cache does not know the slug (or cannot answer now): ask the `LinkReader`, then call `fill` or
   * `fillUnknown`. Null if the cache knows that there is no such link.
   */
  get(slug: string): Promise<RedirectRecord | null | undefined>;
  /** Offers a record read from the store; resolves to the newest known record, which the caller must use. */
  fill(record: RedirectRecord): Promise<RedirectRecord>;
  /** Like `fill`, for a slug that the store does not know; a cache may remember that for a while. */
  fillUnknown(slug: string): Promise<RedirectRecord | null>;
  /** Writes new links through: a redirector that has cached the slug as unknown forgets that within a second. */
  announce(records: readonly RedirectRecord[]): Promise<void>;
  /**
   * The links changed. Once this resolves, every read gets the new record or a newer one; a redirector that has read
   * before may use what it read for a moment (200 ms in another process). Rejects only if that cannot be guaranteed.
   */
  put(records: readonly RedirectRecord[]): Promise<void>;
  /**
   * `put`, and then one wait, however many the records are: once this resolves, no redirector answers from an older
   * version any more (revoke is immediate). For those who promise that to somebody; jobs and consumers `put`.
   */
  replace(records: readonly RedirectRecord[]): Promise<void>;
  /**
   * Calls `listener` for each record of `announce`, `put` and `replace` in this process, before they resolve, so that a
   * micro-cache in front drops its entry.
   */
  watch(listener: (record: RedirectRecord) => void): void;
}

/** The redirector's own access to the store, for slugs that no cache holds. */
export interface LinkReader {
  find(slug: string): Promise<RedirectRecord | undefined>;
}
