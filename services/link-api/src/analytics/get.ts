import { type Analytics, analyticsRecord, type ClickFigures, type Period, rangeOf } from '@waypost/domain';
import type { Bots, ClickStats } from '@waypost/ports';
import type { SharedAnswers } from '@waypost/resilience';
import { getLink, type LinkStore } from '../links/index.ts';

interface Deps {
  readonly links: Pick<LinkStore, 'find'>;
  readonly stats: Pick<ClickStats, 'figures'>;
  readonly figures: SharedAnswers<ClickFigures>;
  readonly now: () => Date;
}

/** Click figures are a few seconds old anyway, so keeping them for 3 s makes a page reload cheap. */
export const FIGURES_KEPT = { keepMs: 3_000, size: 500 } as const;

export async function getAnalytics(
  deps: Deps,
  callerId: string,
  slug: string,
  { period, bots }: { period: Period; bots: Bots },
  signal: AbortSignal,
): Promise<Analytics> {
  await getLink(deps, callerId, slug);
  const now = deps.now();
  const range = rangeOf(period, now);
  const figures = await deps.figures.get([slug, range.from, range.to, bots].join(' '), signal, (unwanted) =>
    deps.stats.figures({ ownerId: callerId, slug }, range, bots, unwanted),
  );
  return { slug, ...analyticsRecord(period, now, figures) };
}
