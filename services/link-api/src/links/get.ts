import { isSlug, type Link, linkNotFound } from '@waypost/domain';
import type { LinkStore } from './link-store.port.ts';

interface Deps {
  readonly links: Pick<LinkStore, 'find'>;
}

export async function getLink(deps: Deps, callerId: string, slug: string): Promise<Link> {
  const link = isSlug(slug) ? await deps.links.find(slug) : undefined;
  if (link === undefined || link.ownerId !== callerId) throw linkNotFound(slug);
  return link;
}
