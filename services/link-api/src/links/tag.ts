import {
  DomainError,
  type DomainErrorCode,
  edited,
  isSlug,
  LIMITS,
  type Link,
  type TagChange,
  tagsAfter,
} from '@waypost/domain';
import { faultsMessage } from '../platform/input.ts';
import type { LinkStore } from './link-store.port.ts';

interface Deps {
  readonly links: Pick<LinkStore, 'findAll' | 'updateAll'>;
  readonly now: () => Date;
}

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
  throwIfAny('link_not_found', missing);
  throwIfAny(
    'validation_failed',
    slugs.map((slug) => tooMany(stored.get(slug)!, change)),
  );
  const changed = await links.updateAll(
    slugs.map((slug, i) => ({
      slug,
      decide: (current) => {
        // Another request may have added tags since.
        throwIfAny('validation_failed', Object.assign([], { [i]: tooMany(current, change) }));
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

/** `problems` has one entry for each slug of the request. */
function throwIfAny(code: DomainErrorCode, problems: readonly (string | false)[]): void {
  const details = Object.fromEntries(
    [...problems.entries()].flatMap(([i, words]) => (words ? [[`slugs[${i}]`, words] as const] : [])),
  );
  if (Object.keys(details).length > 0) throw new DomainError(code, faultsMessage(details), { details });
}
