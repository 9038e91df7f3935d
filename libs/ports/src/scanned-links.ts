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

/**
 * The scanner's own list of the active links, built from their events. It answers which links a new threat may concern.
 */
export interface ScannedLinks {
  /**
   * `keys`: signed 64-bit integers as decimal strings. All or nothing; a link that is filed already stays unchanged.
   */
  file(links: readonly (ScannedLink & { readonly keys: readonly string[] })[]): Promise<void>;
  /** Resolves for slugs that are not filed, too. */
  drop(slugs: readonly string[]): Promise<void>;
  /** Filed links with any of these keys, by slug, ascending by bytes. */
  matching(keys: readonly string[], page: Page): Promise<readonly ScannedLink[]>;
  /** Every filed link, for when too much changed to search by key. */
  all(page: Page): Promise<readonly ScannedLink[]>;
}
