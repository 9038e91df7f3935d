import { type Link, linkNotFound, revoked } from '@waypost/domain';
import { type ChangeLinkDeps, changeLink } from './change-link.ts';

/** POST /links/:slug/revoke. A caller sees only their own links, so another's is "not found". */
export function revokeLink(deps: ChangeLinkDeps, callerId: string, slug: string): Promise<Link> {
  const apply = (current: Link) => {
    if (current.ownerId !== callerId) throw linkNotFound(slug);
    return revoked(current, deps.now());
  };
  return changeLink(deps, slug, { name: 'The revocation', apply });
}
