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

let link = NO_LINK;
let draft = '';
let job: BegunJob | undefined;

export const keptLink = () => link;
export const keepLink = (next: LinkDraft) => {
  link = next;
};
export const keptDraft = () => draft;
export const keepDraft = (text: string) => {
  draft = text;
};
export const keptJob = () => job;
export const keepJob = (begun: BegunJob | undefined) => {
  job = begun;
};
