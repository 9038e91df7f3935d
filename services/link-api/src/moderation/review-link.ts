import { type Actor, assertFlagged, cleared, evidenceToClear, type Link, type Review } from '@waypost/domain';
import type { AuditNote } from '../audit/index.ts';
import { type ChangeLinkDeps, changeLink, type Decide } from '../links/index.ts';

/** Stores the review even if it keeps the flag. */
export function reviewLink(deps: ChangeLinkDeps, slug: string, { decision, reason }: Review, by: Actor): Promise<Link> {
  const at = deps.now();
  const audit = ({ slug: subject, ownerId: accountId }: Link): readonly AuditNote[] => [
    { by, action: 'link.reviewed', subject, accountId, detail: `${decision}: ${reason}` },
  ];
  const decide: Decide = (current, history) => {
    assertFlagged(current);
    const note = { kind: 'review', decision, cleared: evidenceToClear(history), at, audit } as const;
    return decision === 'clear' ? { ...cleared(current, at), note } : { note };
  };
  return changeLink(deps, slug, { name: 'The review', decide });
}
