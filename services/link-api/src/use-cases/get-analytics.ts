import { type Analytics, analyticsRecord, type ClickFigures, daysOf, type Period, withImported } from '@waypost/domain';
import type { ClickStats, LinkImports, LinkStore } from '@waypost/ports';
import type { SharedAnswers } from '@waypost/resilience';
import { getLink } from './get-link.ts';

interface Deps {
  readonly links: Pick<LinkStore, 'find'>;
  readonly stats: ClickStats;
  readonly imports: Pick<LinkImports, 'days'>;
  readonly figures: SharedAnswers<ClickFigures>;
  readonly now: () => Date;
}

/** Figures are always seconds old, so nobody notices this much more, and reloading a page costs nothing. */
export const FIGURES_KEPT = { keepMs: 3_000, size: 500 } as const;

/**
 * GET /links/:slug/analytics, over the last 7, 30 or 90 UTC days including today. `signal` aborts when the caller
 * leaves.
 */
export async function getAnalytics(
  deps: Deps,
  callerId: string,
  slug: string,
  { period, bots }: { period: Period; bots: 'include' | 'exclude' },
  signal: AbortSignal,
): Promise<Analytics> {
  await getLink(deps, callerId, slug);
  const now = deps.now();
  const days = daysOf(period, now);
  const [from, to] = [days[0]!, days.at(-1)!];
  const figures = await deps.figures.get([slug, from, to, bots].join(' '), signal, async (unwanted) => {
    const counted = deps.stats.figures(slug, { from, to }, bots, unwanted);
    const imported = deps.imports.days(slug, { from, to });
    return withImported(...(await Promise.all([counted, imported])));
  });
  return analyticsRecord(slug, period, now, figures);
}
