/** The part of a link that a re-scan needs. */
export interface ScannedLink {
  readonly slug: string;
  readonly destinationUrl: string;
}

export interface Page {
  /** Starts after this slug; '' for the first page. */
  readonly after: string;
  readonly limit: number;
}

export interface FiledLink extends ScannedLink {
  /** Signed 64-bit integers as decimal strings. */
  readonly keys: readonly string[];
  /** Otherwise it is active. */
  readonly flagged: boolean;
}

/**
 * The scanner's own list of the active and the flagged links, built from their events. It answers which links a new
 * threat, or one that is gone, may concern.
 */
export interface ScannedLinks {
  /** All or nothing; of a link that is filed already, only `flagged` changes. */
  file(links: readonly FiledLink[]): Promise<void>;
  /** Files links under other keys than before; those that are not filed are left out. */
  refile(links: readonly Pick<FiledLink, 'slug' | 'keys'>[]): Promise<void>;
  /** Resolves for slugs that are not filed, too. */
  drop(slugs: readonly string[]): Promise<void>;
  /** Active links, or flagged ones, with any of these keys, by slug, ascending by bytes. */
  matching(keys: readonly string[], page: Page, which?: 'active' | 'flagged'): Promise<readonly ScannedLink[]>;
  /** The active ones among these slugs. */
  find(slugs: readonly string[]): Promise<readonly ScannedLink[]>;
  /** Every link, by slug, for when too much changed to search by key. */
  all(page: Page): Promise<readonly (ScannedLink & Pick<FiledLink, 'flagged'>)[]>;
}
