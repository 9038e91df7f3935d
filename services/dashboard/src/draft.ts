/** What was typed for many links, and what was made of it: they outlive a look at another screen. */
import type { BulkEvent } from './api.ts';
import type { Checked } from './check-links.ts';

export interface BegunJob {
  readonly text: string;
  readonly list: Checked;
  readonly events: readonly BulkEvent[];
}

let draft = '';
let job: BegunJob | undefined;

export const keptDraft = () => draft;
export const keepDraft = (text: string) => {
  draft = text;
};
export const keptJob = () => job;
export const keepJob = (begun: BegunJob | undefined) => {
  job = begun;
};
