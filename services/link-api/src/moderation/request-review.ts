import { assertFlagged } from '@waypost/domain';
import { getLink } from '../links/index.ts';
import { type Case, newCaseNumber } from './case.ts';
import { noticeOf } from './case-notice.ts';
import type { FileCaseDeps } from './file-case.ts';

/**
 * Files the owner's request to review a flagged link, or returns the request that is already open. Throws
 * `link_not_found` if the link is not of this owner, and `link_not_flagged`.
 */
export async function requestReview(deps: FileCaseDeps, ownerId: string, slug: string, message: string): Promise<Case> {
  assertFlagged(await getLink(deps, ownerId, slug));
  const number = newCaseNumber(deps.randomBytes);
  const newCase = { number, kind: 'review', slug, category: null, message, accountId: ownerId } as const;
  return deps.cases.open(newCase, { notice: (filed) => noticeOf(filed, deps) });
}
