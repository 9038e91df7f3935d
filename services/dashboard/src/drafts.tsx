/** Drafts, a running bulk job and the look of QR codes are kept here, because they must survive a change of screen. */
import type { Utm } from '@waypost/links-file/utm';
import { createContext, type PropsWithChildren, useContext, useState } from 'react';
import type { Job } from './bulk/job.ts';
import { storedDesign } from './qr/design.ts';

export type Panel = 'slug' | 'tags' | 'about' | 'utm';

export interface LinkDraft {
  readonly url: string;
  readonly slug: string;
  readonly tags: readonly string[];
  readonly title: string | null;
  readonly note: string | null;
  readonly ends_at: string | null;
  readonly utm: Utm;
  readonly open: readonly Panel[];
  /** The last request and its `Idempotency-Key`. If the same body is sent again, the key prevents a second link. */
  readonly attempt: { readonly body: string; readonly key: string };
}
export const NO_LINK: LinkDraft = {
  url: '',
  slug: '',
  tags: [],
  title: null,
  note: null,
  ends_at: null,
  utm: {},
  open: [],
  attempt: { body: '', key: '' },
};

function useDraftState() {
  const [link, setLink] = useState(NO_LINK);
  const [text, setText] = useState('');
  const [job, setJob] = useState<Job>();
  const [design, setDesign] = useState(storedDesign);
  return { link, setLink, text, setText, job, setJob, design, setDesign };
}

const Drafts = createContext<ReturnType<typeof useDraftState> | undefined>(undefined);

export const DraftsProvider = ({ children }: PropsWithChildren) => <Drafts value={useDraftState()}>{children}</Drafts>;

export function useDrafts() {
  const drafts = useContext(Drafts);
  if (drafts === undefined) throw new TypeError('There is no DraftsProvider.');
  return drafts;
}
