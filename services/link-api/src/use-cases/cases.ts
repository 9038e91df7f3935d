/** Reports about links and requests to review a flag: how they are filed and decided. */
import {
  type Actor,
  assertFlagged,
  type Case,
  caseNotFound,
  hasCode,
  isCaseNumber,
  isSlug,
  linkNotFound,
  newCaseNumber,
  type ReportCategory,
  reported,
  type ThreatType,
} from '@waypost/domain';
import type { Cases, LinkStore } from '@waypost/ports';
import type { ChangeLinkDeps } from './change-link.ts';
import { getLink } from './get-link.ts';
import { reviewLink } from './review-link.ts';
import { takeDownLink } from './take-down-link.ts';

export interface FileCaseDeps {
  readonly cases: Cases;
  readonly links: Pick<LinkStore, 'find'>;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly now: () => Date;
}

/** A visitor's; a report has the link scanned again. Throws `link_not_found`, `link_not_flagged` for a review of a link that is not, and `too_many_cases`. */
export async function fileCase(
  deps: FileCaseDeps,
  { slug, category, message }: { slug: string; category: ReportCategory | null; message: string },
): Promise<Case> {
  const link = isSlug(slug) ? await deps.links.find(slug) : undefined;
  if (link === undefined) throw linkNotFound(slug);
  if (category === null) assertFlagged(link);
  const kind = category === null ? 'review' : 'report';
  const filed = { number: newCaseNumber(deps.randomBytes), kind, slug, category, message, accountId: null } as const;
  return deps.cases.open(filed, kind === 'report' ? (current) => reported(current, deps.now()) : undefined);
}

/** The owner's, for a flagged link; an open one is not filed again. */
export async function requestReview(deps: FileCaseDeps, ownerId: string, slug: string, message: string): Promise<Case> {
  assertFlagged(await getLink(deps, ownerId, slug));
  const number = newCaseNumber(deps.randomBytes);
  return deps.cases.open({ number, kind: 'review', slug, category: null, message, accountId: ownerId });
}

export interface Decision {
  readonly state: 'upheld' | 'dismissed';
  readonly reason: string;
  /** For a report that is upheld; the reported category unless it is given. */
  readonly threatType: ThreatType | undefined;
}

/**
 * Changes the link first: a report that is upheld takes it down, a review that is upheld clears it, and one that is
 * dismissed keeps its flag. A link that cannot change so any more stays as it is. A retry repeats what is missing.
 */
export async function decideCase(
  deps: ChangeLinkDeps & { readonly cases: Pick<Cases, 'decide'> },
  number: string,
  { state, reason, threatType }: Decision,
  by: Actor,
): Promise<Case> {
  if (!isCaseNumber(number)) throw caseNotFound(number);
  return deps.cases.decide(number, { state, reason }, by, async ({ kind, slug, category }) => {
    try {
      if (kind === 'review')
        await reviewLink(deps, slug, { decision: state === 'upheld' ? 'clear' : 'keep', reason }, by);
      else if (state === 'upheld')
        await takeDownLink(deps, slug, { threatType: threatType ?? category ?? 'policy_violation', reason }, by);
    } catch (error) {
      if (!hasCode(error, 'link_already_revoked') && !hasCode(error, 'link_not_flagged')) throw error;
    }
  });
}
