/** What became of a link that `waypost admin import` read from an export. */
export type ImportOutcome =
  | { readonly outcome: 'created' | 'skipped' }
  | { readonly outcome: 'conflict'; readonly why: string };

/** Its slug leads elsewhere already. */
export const SLUG_TAKEN: ImportOutcome = { outcome: 'conflict', why: 'slug is taken by another link' };
