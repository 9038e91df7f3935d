/** Which existing links a new entry of the threat database may concern. */
export interface LinkExpressions {
  /** Active links with any of these expression hashes (signed decimal strings), after `cursor` by slug, ascending. */
  activeLinksMatching(
    expressions: readonly string[],
    page: { after: string; limit: number },
  ): Promise<readonly { readonly slug: string; readonly destinationUrl: string }[]>;
  /** Every active link, for when too much changed to ask by expression. */
  activeLinks(page: {
    after: string;
    limit: number;
  }): Promise<readonly { readonly slug: string; readonly destinationUrl: string }[]>;
}
