import { byClicks, type LinkClicks, TOP_LINKS, withImported } from '@waypost/domain';
import type { ClickStats } from '@waypost/ports';
import type { LinkImports } from './link-imports.port.ts';

/** Adds imported clicks to each figure of the click store, so that no reader of figures needs to know of them. */
export function withImportedClicks(stats: ClickStats, imports: Pick<LinkImports, 'days' | 'ofAccount'>): ClickStats {
  type Request = Parameters<ClickStats['topLinks']>;

  async function ranked(
    links: readonly LinkClicks[],
    imported: readonly LinkClicks[],
    ...[account, range, bots, signal]: Request
  ): Promise<readonly LinkClicks[]> {
    if (imported.length === 0) return links;
    // A link with imported clicks may be missing in a full list of the other clicks.
    const slugs = new Set(links.map(({ slug }) => slug));
    const missing = imported.flatMap(({ slug }) => (slugs.has(slug) ? [] : [slug]));
    const isFull = links.length === TOP_LINKS && missing.length > 0;
    const others = isFull ? await stats.days(account, missing, range, bots, signal) : [];
    return summed([...links, ...others, ...imported])
      .sort(byClicks)
      .slice(0, TOP_LINKS);
  }

  return {
    async figures(link, range, bots, signal) {
      const importedDays = imports.days([link.slug], range);
      return withImported(...(await Promise.all([stats.figures(link, range, bots, signal), importedDays])));
    },
    async accountFigures(...request) {
      const [account, range] = request;
      const [figures, imported] = await Promise.all([
        stats.accountFigures(...request),
        imports.ofAccount(account, range),
      ]);
      const links = await ranked(figures.links, imported.links, ...request);
      return { ...withImported(figures, imported.days), links };
    },
    async accountTotals(...request) {
      const [account, range] = request;
      const [totals, { days }] = await Promise.all([
        stats.accountTotals(...request),
        imports.ofAccount(account, range),
      ]);
      return { ...totals, total_clicks: days.reduce((sum, { clicks }) => sum + clicks, totals.total_clicks) };
    },
    async topLinks(...request) {
      const [account, range] = request;
      const [links, imported] = await Promise.all([stats.topLinks(...request), imports.ofAccount(account, range)]);
      return ranked(links, imported.links, ...request);
    },
    async days(account, slugs, range, bots, signal) {
      const importedDays = imports.days(slugs, range);
      return (await Promise.all([stats.days(account, slugs, range, bots, signal), importedDays])).flat();
    },
  };
}

function summed(clicks: readonly LinkClicks[]): LinkClicks[] {
  const sums = new Map<string, number>();
  for (const { slug, clicks: count } of clicks) sums.set(slug, (sums.get(slug) ?? 0) + count);
  return [...sums].map(([slug, count]) => ({ slug, clicks: count }));
}
