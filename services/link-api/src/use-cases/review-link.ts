import { assertFlagged, cleared, type Link, linkNotFound, redirectRecord } from '@waypost/domain';
import type { LinkCache, LinkStore } from '@waypost/ports';

interface Deps {
  readonly links: Pick<LinkStore, 'update'>;
  readonly cache: Pick<LinkCache, 'replace'>;
  readonly now: () => Date;
}

/**
 * A manual review of a flagged link (States, rule 4). `clear` makes it active, and the evidence that flagged it does
 * not flag it again; `keep` changes nothing and is recorded.
 */
export async function reviewLink(
  deps: Deps,
  slug: string,
  { decision, reason }: { decision: 'clear' | 'keep'; reason: string },
): Promise<Link> {
  const at = deps.now();
  const link = await deps.links.update(
    slug,
    (current) => {
      assertFlagged(current);
      return decision === 'clear' ? cleared(current, at) : undefined;
    },
    { kind: 'review', decision, reason, at },
  );
  if (link === undefined) throw linkNotFound(slug);
  if (decision === 'clear') await deps.cache.replace([redirectRecord(link)]);
  return link;
}
