import { edited, type Link, type LinkEdit, linkNotFound } from '@waypost/domain';
import { type ChangeLinkDeps, changeLink } from './change-link.ts';

/** Callers may change only their own links. Another account's link gives `link_not_found`. */
export function updateLink(deps: ChangeLinkDeps, callerId: string, slug: string, edit: LinkEdit): Promise<Link> {
  const decide = (current: Link) => {
    if (current.ownerId !== callerId) throw linkNotFound(slug);
    return edited(current, edit, deps.now());
  };
  return changeLink(deps, slug, { name: 'The change', decide, unseen: edit.endsAt === undefined });
}
