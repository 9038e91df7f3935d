import { type Link, linkNotFound, revoked } from '@waypost/domain';
import { type ChangeLinkDeps, changeLink } from './change-link.ts';

/** Callers may revoke only their own links. Another account's link gives `link_not_found`. */
export function revokeLink(deps: ChangeLinkDeps, callerId: string, slug: string): Promise<Link> {
  const decide = (current: Link) => {
    if (current.ownerId !== callerId) throw linkNotFound(slug);
    return revoked(current, deps.now());
  };
  return changeLink(deps, slug, { name: 'The revocation', decide });
}
