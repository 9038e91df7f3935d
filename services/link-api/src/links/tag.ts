import { edited, isSlug, LIMITS, type Link, type TagChange, tagsAfter } from '@waypost/domain';
import { throwIfAny } from '../platform/input.ts';
import type { LinkStore } from './link-store.port.ts';

interface Deps {
  readonly links: Pick<LinkStore, 'findAll' | 'updateAll'>;
  readonly now: () => Date;
}

const nameOf = (row: number) => `slugs[${row}]`;

/** Changes the tags of all these links or of none. Resolves to the number of links that changed. */
export async function tagLinks(
  { links, now }: Deps,
  callerId: string,
  slugs: readonly string[],
  change: TagChange,
): Promise<number> {
  const stored = new Map((await links.findAll(slugs.filter(isSlug))).map((link) => [link.slug, link]));
  // No link is ever deleted or gets another owner, so this read is enough.
  const missing = slugs.map((slug) => stored.get(slug)?.ownerId !== callerId && 'is not the slug of one of your links');
  throwIfAny('link_not_found', missing, nameOf);
  const tagged = slugs.map((slug) => tooMany(stored.get(slug)!, change));
  throwIfAny('validation_failed', tagged, nameOf);
  const changed = await links.updateAll(
    slugs.map((slug, i) => ({
      slug,
      decide: (current) => {
        // Another request may have added tags since.
        throwIfAny('validation_failed', [tooMany(current, change)], () => nameOf(i));
        return edited(current, { tags: tagsAfter(current.tags, change) }, now());
      },
    })),
  );
  return changed.length;
}

function tooMany({ tags }: Link, change: TagChange): string | false {
  const { length } = tagsAfter(tags, change);
  return length > LIMITS.tagsPerLink && `would have ${length} tags; a link has at most ${LIMITS.tagsPerLink}`;
}
