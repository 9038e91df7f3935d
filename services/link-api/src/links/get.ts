import { isSlug, type Link, linkNotFound } from '@waypost/domain';
import type { LinkStore } from './link-store.port.ts';

interface Deps {
  readonly links: Pick<LinkStore, 'find'>;
}

/** Finds a link of any account. Throws `link_not_found`. */
export async function findLink({ links }: Deps, slug: string): Promise<Link> {
  const link = isSlug(slug) ? await links.find(slug) : undefined;
  if (link === undefined) throw linkNotFound(slug);
  return link;
}

export async function getLink(deps: Deps, callerId: string, slug: string): Promise<Link> {
  const link = await findLink(deps, slug);
  if (link.ownerId !== callerId) throw linkNotFound(slug);
  return link;
}
