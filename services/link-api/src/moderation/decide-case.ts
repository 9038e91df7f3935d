import { type Actor, hasCode, type Link, type Review, type ThreatType } from '@waypost/domain';
import type { NotesOf } from '../audit/index.ts';
import type { ChangeLinkDeps } from '../links/index.ts';
import { type Case, caseNotFound, isCaseNumber, OPEN_CASES_MAX } from './case.ts';
import type { Cases } from './cases.port.ts';
import { reviewLink } from './review-link.ts';
import { takeDownLink } from './take-down-link.ts';

export interface Decision {
  readonly state: 'upheld' | 'dismissed';
  readonly reason: string;
  /** The threat type if a report is upheld. The default is the category of the report. */
  readonly threatType: ThreatType | undefined;
}

/**
 * Changes the link before it closes the case, so a retry repeats missing steps. An upheld report takes the link down.
 * An upheld review clears the flag, and a dismissed review keeps it. A link that cannot change any more stays as it is.
 * Throws `case_not_found`, and `case_decided` if the case is not open.
 */
export async function decideCase(
  deps: ChangeLinkDeps & { readonly cases: Pick<Cases, 'decide'> },
  number: string,
  { state, reason, threatType }: Decision,
  by: Actor,
): Promise<Case> {
  if (!isCaseNumber(number)) throw caseNotFound(number);
  return deps.cases.decide(number, { state, reason }, notesBy(by), async ({ kind, slug, category }) => {
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

/**
 * Reviews a link, and decides the open requests for that: otherwise they would wait on, and the owner's next request
 * would be answered with the old one. A retry decides those that an earlier attempt left open.
 */
export async function reviewAsRequested(
  deps: ChangeLinkDeps & { readonly cases: Pick<Cases, 'decide' | 'list'> },
  slug: string,
  review: Review,
  by: Actor,
): Promise<Link> {
  const state = review.decision === 'clear' ? 'upheld' : 'dismissed';
  const decideRequests = async () => {
    // Visitors have at most this many open ones, and the owner has one.
    const limit = OPEN_CASES_MAX + 1;
    for (const { number } of await deps.cases.list({ slug, kind: 'review', state: 'open', limit })) {
      try {
        await deps.cases.decide(number, { state, reason: review.reason }, notesBy(by), async () => undefined);
      } catch (error) {
        if (!hasCode(error, 'case_decided')) throw error;
      }
    }
  };
  const link = await reviewLink(deps, slug, review, by).catch(async (error: unknown) => {
    if (review.decision === 'clear' && hasCode(error, 'link_not_flagged')) await decideRequests();
    throw error;
  });
  await decideRequests();
  return link;
}

const notesBy =
  (by: Actor): NotesOf<{ readonly decided: Case; readonly ownerId: string | undefined }> =>
  ({ decided: { number, kind, slug, state, reason }, ownerId }) => [
    {
      by,
      action: 'case.decided',
      subject: number,
      ...(ownerId !== undefined && { accountId: ownerId }),
      detail: `${kind} of ${slug} ${state}: ${reason}`,
    },
  ];
