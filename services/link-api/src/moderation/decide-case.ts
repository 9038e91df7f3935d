import { type Actor, hasCode, type ThreatType } from '@waypost/domain';
import type { NotesOf } from '../audit/index.ts';
import type { ChangeLinkDeps } from '../links/index.ts';
import { type Case, caseNotFound, isCaseNumber } from './case.ts';
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
