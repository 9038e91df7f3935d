/** A link as the scanner needs it, to look at it again. */
export interface ScannedLink {
  readonly slug: string;
  readonly destinationUrl: string;
}

export interface Page {
  /** The slug after which it begins: '' for the first. */
  readonly after: string;
  readonly limit: number;
}

/** The scanner's own list of the active links, made from their events: which of them may a new threat concern? */
export interface ScannedLinks {
  /** `keys`: signed 64-bit integers as decimal strings. All or nothing; a link that is filed already stays as it is. */
  file(links: readonly (ScannedLink & { readonly keys: readonly string[] })[]): Promise<void>;
  /** Resolves also for slugs that are not filed. */
  drop(slugs: readonly string[]): Promise<void>;
  /** Filed links with any of these keys, by slug, ascending by bytes. */
  matching(keys: readonly string[], page: Page): Promise<readonly ScannedLink[]>;
  /** Every filed link, for when too much changed to ask by key. */
  all(page: Page): Promise<readonly ScannedLink[]>;
}
