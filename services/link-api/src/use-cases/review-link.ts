import { type Actor, assertFlagged, cleared, type Link } from '@waypost/domain';
import type { Review } from '@waypost/ports';
import { type ChangeLinkDeps, changeLink } from './change-link.ts';

/**
 * A manual review of a flagged link. `clear` makes it active, and the evidence that flagged it does not flag it again;
 * `keep` changes nothing and is recorded.
 */
export function reviewLink(deps: ChangeLinkDeps, slug: string, { decision, reason }: Review, by: Actor): Promise<Link> {
  const at = deps.now();
  const apply = (current: Link) => {
    assertFlagged(current);
    return decision === 'clear' ? cleared(current, at) : undefined;
  };
  return changeLink(deps, slug, { name: 'The review', apply, note: { kind: 'review', decision, reason, at, by } });
}
