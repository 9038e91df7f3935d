import { type Actor, assertFlagged, cleared, type Link, type Review } from '@waypost/domain';
import type { AuditNote } from '../audit/index.ts';
import { type ChangeLinkDeps, changeLink } from '../links/index.ts';

export function reviewLink(deps: ChangeLinkDeps, slug: string, { decision, reason }: Review, by: Actor): Promise<Link> {
  const at = deps.now();
  const apply = (current: Link) => {
    assertFlagged(current);
    return decision === 'clear' ? cleared(current, at) : undefined;
  };
  const audit = ({ slug: subject, ownerId: accountId }: Link): readonly AuditNote[] => [
    { by, action: 'link.reviewed', subject, accountId, detail: `${decision}: ${reason}` },
  ];
  return changeLink(deps, slug, { name: 'The review', apply, note: { kind: 'review', decision, reason, at, audit } });
}
