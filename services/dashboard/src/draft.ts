/** What was typed for a link or many, and what was made of it: they outlive a look at another screen. */
import type { BulkEvent } from './api.ts';
import type { Checked } from './check-links.ts';

export interface BegunJob {
  readonly text: string;
  readonly list: Checked;
  readonly events: readonly BulkEvent[];
}

export interface LinkDraft {
  readonly url: string;
  readonly slug: string;
  readonly tags: readonly string[];
  readonly open: readonly ('slug' | 'tags')[];
  /** The last one that was sent, with its `Idempotency-Key`: sent again, it makes no second link. */
  readonly attempt: { readonly body: string; readonly key: string };
}
export const NO_LINK: LinkDraft = { url: '', slug: '', tags: [], open: [], attempt: { body: '', key: '' } };

export const kept: { link: LinkDraft; draft: string; job: BegunJob | undefined } = {
  link: NO_LINK,
  draft: '',
  job: undefined,
};
