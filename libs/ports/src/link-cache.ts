import type { RedirectRecord } from '@waypost/domain';

/** Redirectors read a link from here first. Records have versions: an older one never replaces a newer one. */
export interface LinkCache {
  /**
   * Resolves to undefined if the cache does not know the slug or cannot answer now. The caller then asks the
   * `LinkReader` and calls `fill` or `fillUnknown`. Resolves to null if the cache knows that no link has this slug.
   */
  get(slug: string): Promise<RedirectRecord | null | undefined>;
  /** Offers a record that was read from the store. Resolves to the newest known record, which the caller must use. */
  fill(record: RedirectRecord): Promise<RedirectRecord>;
  /** Like `fill`, for a slug that the store does not have. A cache may remember this for a while. */
  fillUnknown(slug: string): Promise<RedirectRecord | null>;
  /** Writes new links. If a redirector has cached a slug as unknown, it forgets that within a second. */
  announce(records: readonly RedirectRecord[]): Promise<void>;
  /**
   * Writes changed links. Once this resolves, every read returns the new record or a newer one. A redirector in another
   * process may still use an earlier read for up to 200 ms. Rejects only if this cannot be guaranteed.
   */
  put(records: readonly RedirectRecord[]): Promise<void>;
  /**
   * Like `put`, but also waits until no redirector uses an older version (once for all records). Callers use it if a
   * user was promised that the change is immediate, as for a revoked link. Jobs and consumers use `put`.
   */
  replace(records: readonly RedirectRecord[]): Promise<void>;
  /**
   * Calls `listener` for each record that this process passes to `announce`, `put` or `replace`, before they resolve. A
   * cache in front of this one can then drop its entry.
   */
  watch(listener: (record: RedirectRecord) => void): void;
}

/** The redirector's own access to the store. It is used for slugs that no cache has. */
export interface LinkReader {
  find(slug: string): Promise<RedirectRecord | undefined>;
}
