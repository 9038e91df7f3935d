import { isUnavailable, type Link, linkNotFound, outcomeUnknown, redirectRecord, revoked } from '@waypost/domain';
import type { LinkCache, LinkStore } from '@waypost/ports';

interface Deps {
  readonly links: Pick<LinkStore, 'update'>;
  readonly cache: Pick<LinkCache, 'replace'>;
  readonly now: () => Date;
}

/**
 * POST /links/:slug/revoke. A caller sees only their own links, so another's is "not found". When this resolves, or
 * tells that it was revoked before, no redirector sends another visitor to the destination.
 */
export async function revokeLink(deps: Deps, callerId: string, slug: string): Promise<Link> {
  let before: Link | undefined;
  try {
    const link = await deps.links
      .update(slug, (current) => {
        if (current.ownerId !== callerId) throw linkNotFound(slug);
        before = current;
        return revoked(current, deps.now());
      })
      .catch(async (error: unknown) => {
        // Who asks again after an attempt that was cut off: it may have ended before redirectors knew.
        if (before?.status === 'revoked') await deps.cache.replace([redirectRecord(before)]);
        throw error;
      });
    if (link === undefined) throw linkNotFound(slug);
    await deps.cache.replace([redirectRecord(link)]);
    return link;
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw outcomeUnknown('The revocation', 'Read the link, or revoke it again, to be sure.', error);
  }
}
