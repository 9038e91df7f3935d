/** What `waypost admin import` did with one link of an export. */
export type ImportOutcome =
  | { readonly outcome: 'created' | 'skipped' }
  | { readonly outcome: 'conflict'; readonly why: string };

export const SLUG_TAKEN: ImportOutcome = { outcome: 'conflict', why: 'slug is taken by another link' };
