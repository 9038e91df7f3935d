export interface ScannedLink {
  readonly slug: string;
  readonly destinationUrl: string;
}

export interface Page {
  /** An empty text stands for the first page. */
  readonly after: string;
  readonly limit: number;
}

export interface FiledLink extends ScannedLink {
  /** Signed 64-bit integers as decimal strings. */
  readonly keys: readonly string[];
  /** False means that the link is active. */
  readonly flagged: boolean;
}

/** The scanner's own list of active and flagged links, built from events. It finds the links that a key concerns. */
export interface ScannedLinks {
  /** Files all links or none. Of a link that is filed already, only `flagged` changes. */
  file(links: readonly FiledLink[]): Promise<void>;
  /** Replaces the keys of filed links. */
  refile(links: readonly Pick<FiledLink, 'slug' | 'keys'>[]): Promise<void>;
  drop(slugs: readonly string[]): Promise<void>;
  /** The order is by slug, ascending by bytes. */
  matching(keys: readonly string[], page: Page, which?: 'active' | 'flagged'): Promise<readonly ScannedLink[]>;
  /** Returns only active links. */
  find(slugs: readonly string[]): Promise<readonly ScannedLink[]>;
  /** Returns links in the order of their slugs. It is used if too many keys changed to search by key. */
  all(page: Page): Promise<readonly (ScannedLink & Pick<FiledLink, 'flagged'>)[]>;
}
