import { assertFlagged, type Link, reported } from '@waypost/domain';
import { findLink, type LinkStore } from '../links/index.ts';
import { type Case, newCaseNumber, type ReportCategory } from './case.ts';
import { noticeOf } from './case-notice.ts';
import type { Cases } from './cases.port.ts';

export interface FileCaseDeps {
  readonly cases: Cases;
  readonly links: Pick<LinkStore, 'find'>;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly now: () => Date;
  readonly baseUrl: string;
  readonly redirectBaseUrl: string;
}

/** A report also starts a new scan. Throws `link_not_found`, and for a request to review `link_not_flagged`. */
export async function fileCase(
  deps: FileCaseDeps,
  { slug, category, message }: { slug: string; category: ReportCategory | null; message: string },
): Promise<Case> {
  const link = await findLink(deps, slug);
  if (category === null) assertFlagged(link);
  const kind = category === null ? 'review' : 'report';
  const newCase = { number: newCaseNumber(deps.randomBytes), kind, slug, category, message, accountId: null } as const;
  const event = kind === 'report' ? (current: Link) => reported(current, deps.now()) : undefined;
  return deps.cases.open(newCase, { event, notice: (filed) => noticeOf(filed, deps) });
}
