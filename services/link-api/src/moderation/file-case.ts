import { assertFlagged, type Link, reported } from '@waypost/domain';
import { findLink, getLink, type LinkStore } from '../links/index.ts';
import { type Case, newCaseNumber } from './case.ts';
import { noticeOf } from './case-notice.ts';
import type { Cases, NewCase } from './cases.port.ts';

export interface FileCaseDeps {
  readonly cases: Cases;
  readonly links: Pick<LinkStore, 'find'>;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly now: () => Date;
  readonly baseUrl: string;
  readonly redirectBaseUrl: string;
}

/**
 * A report also starts a new scan. With an `accountId`, the owner of the link requests a review. Throws
 * `link_not_found`, also for an owner of other links, and for a request to review `link_not_flagged`.
 */
export async function fileCase(deps: FileCaseDeps, filed: Omit<NewCase, 'number' | 'kind'>): Promise<Case> {
  const { slug, category, accountId } = filed;
  const link = accountId === null ? await findLink(deps, slug) : await getLink(deps, accountId, slug);
  if (category === null) assertFlagged(link);
  const kind = category === null ? 'review' : 'report';
  const event = kind === 'report' ? (current: Link) => reported(current, deps.now()) : undefined;
  const newCase = { ...filed, kind, number: newCaseNumber(deps.randomBytes) } as const;
  return deps.cases.open(newCase, { event, notice: (opened) => noticeOf(opened, deps) });
}
