import { type Actor, assertFlagged, hasCode, isSlug, linkNotFound, reported, type ThreatType } from '@waypost/domain';
import type { NotesOf } from '../audit/index.ts';
import { type ChangeLinkDeps, getLink, type LinkStore } from '../links/index.ts';
import { type Case, caseNotFound, isCaseNumber, newCaseNumber, type ReportCategory } from './case.ts';
import type { Cases } from './cases.port.ts';
import { reviewLink } from './review-link.ts';
import { takeDownLink } from './take-down-link.ts';

export interface FileCaseDeps {
  readonly cases: Cases;
  readonly links: Pick<LinkStore, 'find'>;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly now: () => Date;
}

/** A report also starts a new scan. Throws `link_not_found` and `link_not_flagged`. */
export async function fileCase(
  deps: FileCaseDeps,
  { slug, category, message }: { slug: string; category: ReportCategory | null; message: string },
): Promise<Case> {
  const link = isSlug(slug) ? await deps.links.find(slug) : undefined;
  if (link === undefined) throw linkNotFound(slug);
  if (category === null) assertFlagged(link);
  const kind = category === null ? 'review' : 'report';
  const newCase = { number: newCaseNumber(deps.randomBytes), kind, slug, category, message, accountId: null } as const;
  return deps.cases.open(newCase, kind === 'report' ? (current) => reported(current, deps.now()) : undefined);
}

/** Files the owner's request to review a flagged link, or returns the request that is already open. */
export async function requestReview(deps: FileCaseDeps, ownerId: string, slug: string, message: string): Promise<Case> {
  assertFlagged(await getLink(deps, ownerId, slug));
  const number = newCaseNumber(deps.randomBytes);
  return deps.cases.open({ number, kind: 'review', slug, category: null, message, accountId: ownerId });
}

export interface Decision {
  readonly state: 'upheld' | 'dismissed';
  readonly reason: string;
  /** The threat type if a report is upheld. The default is the category of the report. */
  readonly threatType: ThreatType | undefined;
}

/**
 * Changes the link before it closes the case, so a retry repeats missing steps. An upheld report takes the link down.
 * An upheld review clears the flag, and a dismissed review keeps it. A link that cannot change any more stays as it is.
 */
export async function decideCase(
  deps: ChangeLinkDeps & { readonly cases: Pick<Cases, 'decide'> },
  number: string,
  { state, reason, threatType }: Decision,
  by: Actor,
): Promise<Case> {
  if (!isCaseNumber(number)) throw caseNotFound(number);
  const notes: NotesOf<{ decided: Case; ownerId: string | undefined }> = ({ decided: { kind, slug }, ownerId }) => [
    {
      by,
      action: 'case.decided',
      subject: number,
      ...(ownerId !== undefined && { accountId: ownerId }),
      detail: `${kind} of ${slug} ${state}: ${reason}`,
    },
  ];
  return deps.cases.decide(number, { state, reason }, notes, async ({ kind, slug, category }) => {
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
