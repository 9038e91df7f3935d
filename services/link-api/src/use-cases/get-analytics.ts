import { type Analytics, analyticsRecord, daysOf, type Period } from '@waypost/domain';
import type { ClickStats, LinkStore } from '@waypost/ports';
import { getLink } from './get-link.ts';

interface Deps {
  readonly links: Pick<LinkStore, 'find'>;
  readonly stats: ClickStats;
  readonly now: () => Date;
}

/** GET /links/:slug/analytics, over the last 7, 30 or 90 UTC days, today included. */
export async function getAnalytics(
  deps: Deps,
  callerId: string,
  slug: string,
  { period, bots }: { period: Period; bots: 'include' | 'exclude' },
): Promise<Analytics> {
  await getLink(deps, callerId, slug);
  const now = deps.now();
  const days = daysOf(period, now);
  const figures = await deps.stats.figures(slug, { from: days[0]!, to: days.at(-1)! }, bots);
  return analyticsRecord(slug, period, now, figures);
}
