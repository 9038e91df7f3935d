import { type Analytics, analyticsRecord, type ClickFigures, daysOf, type Period, withImported } from '@waypost/domain';
import type { ClickStats } from '@waypost/ports';
import type { SharedAnswers } from '@waypost/resilience';
import { getLink, type LinkImports, type LinkStore } from '../links/index.ts';

interface Deps {
  readonly links: Pick<LinkStore, 'find'>;
  readonly stats: ClickStats;
  readonly imports: Pick<LinkImports, 'days'>;
  readonly figures: SharedAnswers<ClickFigures>;
  readonly now: () => Date;
}

/** Click figures are a few seconds old anyway, so keeping them for 3 s makes a page reload cheap. */
export const FIGURES_KEPT = { keepMs: 3_000, size: 500 } as const;

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
    const clicks = deps.stats.figures(slug, { from, to }, bots, unwanted);
    const imported = deps.imports.days(slug, { from, to });
    return withImported(...(await Promise.all([clicks, imported])));
  });
  return analyticsRecord(slug, period, now, figures);
}
