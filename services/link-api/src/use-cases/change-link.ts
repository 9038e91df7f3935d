import {
  hasCode,
  isSlug,
  isUnavailable,
  type Link,
  type LinkUpdate,
  linkNotFound,
  outcomeUnknown,
  redirectRecord,
} from '@waypost/domain';
import type { LinkCache, LinkNote, LinkStore } from '@waypost/ports';

export interface ChangeLinkDeps {
  readonly links: Pick<LinkStore, 'update'>;
  readonly cache: Pick<LinkCache, 'replace'>;
  readonly now: () => Date;
}

export interface Change {
  /** As in "The revocation may still take effect". */
  readonly name: string;
  /** A rule of the domain; undefined leaves the link as it is. Throws `DomainError` if the rule forbids the change. */
  readonly apply: (current: Link) => LinkUpdate | undefined;
  readonly note?: LinkNote;
}

/**
 * Every change to a link. Once it resolves, or rejects because a rule forbids the change, no redirector uses an older
 * version than the stored one. A retry repairs the cache if an earlier attempt died between its commit and the cache
 * update, even if nothing is left to change. Throws `link_not_found`, what `apply` throws, and `unavailable` if the
 * outcome is unknown.
 */
export async function changeLink(deps: ChangeLinkDeps, slug: string, change: Change): Promise<Link> {
  if (!isSlug(slug)) throw linkNotFound(slug);
  let refused: Link | undefined;
  const apply = (current: Link) => {
    try {
      return change.apply(current);
    } catch (error) {
      // A caller who must not know of the link gets the same answer in the same time as for one that does not exist.
      if (!hasCode(error, 'link_not_found')) refused = current;
      throw error;
    }
  };
  try {
    const link = await deps.links.update(slug, apply, change.note).catch(async (error: unknown) => {
      if (refused !== undefined) await deps.cache.replace([redirectRecord(refused)]);
      throw error;
    });
    if (link === undefined) throw linkNotFound(slug);
    await deps.cache.replace([redirectRecord(link)]);
    return link;
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw outcomeUnknown(change.name, 'Read the link, or ask again, to be sure.', error);
  }
}
