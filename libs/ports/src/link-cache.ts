import type { RedirectRecord } from '@waypost/domain';

/** Where redirectors look first. Versioned: an older record never replaces a newer one. */
export interface LinkCache {
  /**
   * Undefined if it is not known here (or cannot be asked now): ask the `LinkReader`, then `fill` or `fillUnknown`. Null if
   * it is known that there is no such link.
   */
  get(slug: string): Promise<RedirectRecord | null | undefined>;
  /** Offers what was read from the store; resolves to the newest known record, which the caller must use. */
  fill(record: RedirectRecord): Promise<RedirectRecord>;
  /** As `fill` for a slug that the store does not know; a cache may remember that for a while. */
  fillUnknown(slug: string): Promise<RedirectRecord | null>;
  /** New links, written through: a redirector that remembers the slug as unknown forgets that within a second. */
  announce(records: readonly RedirectRecord[]): Promise<void>;
  /**
   * The link changed. When this resolves, no redirector answers by an older version any more (revoke at once).
   * Rejects only if that cannot be promised.
   */
  replace(records: readonly RedirectRecord[]): Promise<void>;
  /** Told of each `announce` and `replace` made in this process, before it resolves: a micro-cache in front drops what it holds. */
  watch(listener: (record: RedirectRecord) => void): void;
}

/** The redirector's own way to the store, for what no cache holds. */
export interface LinkReader {
  find(slug: string): Promise<RedirectRecord | undefined>;
}
