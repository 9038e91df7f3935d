import {
  hasCode,
  isSlug,
  isUnavailable,
  type Link,
  linkNotFound,
  outcomeUnknown,
  redirectRecord,
} from '@waypost/domain';
import type { LinkCache } from '@waypost/ports';
import type { Decide, LinkStore } from './link-store.port.ts';

export interface ChangeLinkDeps {
  readonly links: Pick<LinkStore, 'update'>;
  readonly cache: Pick<LinkCache, 'replace'>;
  readonly now: () => Date;
}

export interface Change {
  /** A noun for messages, such as "The revocation" in "The revocation may still take effect". */
  readonly name: string;
  /** Throws `DomainError` if a rule forbids the change. */
  readonly decide: Decide;
  /** True if no visitor sees the change, so that no cache has it. */
  readonly unseen?: boolean;
}

/**
 * Makes a change to a link. When it resolves, or rejects because a rule forbids the change, every redirector knows the
 * stored version. A retry updates the cache if an earlier attempt died before it did so. Throws `link_not_found`, what
 * `decide` throws, and `unavailable` if the outcome is unknown.
 */
export async function changeLink(deps: ChangeLinkDeps, slug: string, change: Change): Promise<Link> {
  if (!isSlug(slug)) throw linkNotFound(slug);
  const tell = async (link: Link) => {
    if (!change.unseen) await deps.cache.replace([redirectRecord(link)]);
  };
  let unchanged: Link | undefined;
  const decide: Decide = (current, history) => {
    try {
      return change.decide(current, history);
    } catch (error) {
      // A caller who may not see the link must get the same answer, in the same time, as for a missing link.
      if (!hasCode(error, 'link_not_found')) unchanged = current;
      throw error;
    }
  };
  try {
    const link = await deps.links.update(slug, decide).catch(async (error: unknown) => {
      if (unchanged !== undefined) await tell(unchanged);
      throw error;
    });
    if (link === undefined) throw linkNotFound(slug);
    await tell(link);
    return link;
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw outcomeUnknown(change.name, 'Get the link to check, or retry.', error);
  }
}
