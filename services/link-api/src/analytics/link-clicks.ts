import { isSlug, linkNotFound, type Period, rangeOf, timeSeries } from '@waypost/domain';
import type { Bots, ClickStats } from '@waypost/ports';
import type { LinkStore } from '../links/index.ts';

interface Deps {
  readonly links: Pick<LinkStore, 'findAll'>;
  readonly stats: Pick<ClickStats, 'days'>;
  readonly now: () => Date;
}

/** Resolves to the clicks of each link, in the order of `slugs`. Throws `link_not_found`. */
export async function getLinkClicks(
  { links, stats, now }: Deps,
  accountId: string,
  { slugs, period, bots }: { slugs: readonly string[]; period: Period; bots: Bots },
  signal: AbortSignal,
) {
  const existing = await links.findAll(slugs.filter(isSlug));
  const own = new Set(existing.flatMap(({ slug, ownerId }) => (ownerId === accountId ? [slug] : [])));
  for (const slug of slugs) if (!own.has(slug)) throw linkNotFound(slug);
  const at = now();
  const range = rangeOf(period, at);
  const days = await stats.days(accountId, slugs, range, bots, signal);
  const bySlug = Map.groupBy(days, ({ slug }) => slug);
  return {
    period,
    links: slugs.map((slug) => {
      const ofLink = bySlug.get(slug) ?? [];
      const total_clicks = ofLink.reduce((sum, { clicks }) => sum + clicks, 0);
      return { slug, total_clicks, time_series: timeSeries(period, at, ofLink) };
    }),
  };
}
