import { type Actor, isUnavailable, type Link, outcomeUnknown, redirectRecord, type ThreatType } from '@waypost/domain';
import type { LinkCache } from '@waypost/ports';
import { findLink, type LinkStore } from '../links/index.ts';
import { takingDown } from './take-down-link.ts';

interface Deps {
  readonly links: Pick<LinkStore, 'find' | 'findAll' | 'ofOwner' | 'updateAll'>;
  readonly cache: Pick<LinkCache, 'replace'>;
  readonly now: () => Date;
}

/** Links of the account that a preview reads at once, and that a take-down looks at in one call. */
const READ_AT_ONCE = 5_000;
const LOOKED_AT = 500;
const SHOWN = 10;

/** Finds the links that a take-down would change: of the same account to the same host as this link. */
export async function linksToHost({ links }: Pick<Deps, 'links'>, slug: string) {
  const { ownerId, host } = await targetOf(links, slug);
  const first: string[] = [];
  let count = 0;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: Awaited<ReturnType<LinkStore['ofOwner']>> = await links.ofOwner(ownerId, after, READ_AT_ONCE);
    const matching = page.filter((link) => link.takeDownReason === null && hostOf(link) === host);
    count += matching.length;
    first.push(...matching.slice(0, SHOWN - first.length).map((link) => link.slug));
    after = page.length < READ_AT_ONCE ? undefined : page.at(-1)?.slug;
  }
  const inOrder = (await links.findAll(first)).toSorted((a, b) => first.indexOf(a.slug) - first.indexOf(b.slug));
  return { ownerId, host, count, first: inOrder };
}

/**
 * Takes down the links of the same account to the same host as this link, as far as one call looks. Resolves to the
 * number of changed links, and to the slug after which the next call goes on. When it resolves, every redirector knows
 * the stored versions, also of links that an earlier call had changed before it failed.
 */
export async function takeDownHost(
  { links, cache, now }: Deps,
  slug: string,
  after: string,
  takeDown: { readonly threatType: ThreatType; readonly reason: string },
  by: Actor,
): Promise<{ readonly takenDown: number; readonly next: string | null }> {
  const { ownerId, host } = await targetOf(links, slug);
  const page = await links.ofOwner(ownerId, after, LOOKED_AT);
  const next = page.length < LOOKED_AT ? null : page.at(-1)!.slug;
  const slugs = page.filter((link) => hostOf(link) === host).map((link) => link.slug);
  if (slugs.length === 0) return { takenDown: 0, next };
  const decide = takingDown(takeDown, by, now);
  const isOpen = (link: Link) => link.status !== 'revoked' && link.takeDownReason === null && hostOf(link) === host;
  try {
    const changedLinks = await links.updateAll(
      slugs.map((each) => ({
        slug: each,
        decide: (current, history) => (isOpen(current) ? decide(current, history) : undefined),
      })),
    );
    await cache.replace((await links.findAll(slugs)).map(redirectRecord));
    return { takenDown: changedLinks.length, next };
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw outcomeUnknown('The take-down', 'Repeat the request to check.', error);
  }
}

async function targetOf(links: Pick<LinkStore, 'find'>, slug: string) {
  const link = await findLink({ links }, slug);
  return { ownerId: link.ownerId, host: hostOf(link) };
}

/** The host without its port, in the form in which browsers resolve it. */
function hostOf({ destinationUrl }: Pick<Link, 'destinationUrl'>): string {
  return new URL(destinationUrl).hostname.replace(/\.$/, '');
}
