import {
  type AccountFigures,
  byClicks,
  type DayRange,
  type LinkClicks,
  TOP_LINKS,
  withImported,
} from '@waypost/domain';
import type { Bots, ClickStats } from '@waypost/ports';
import type { SharedAnswers } from '@waypost/resilience';
import type { LinkImports } from '../links/index.ts';

export interface AccountFiguresDeps {
  readonly stats: Pick<ClickStats, 'accountFigures' | 'days'>;
  readonly imports: Pick<LinkImports, 'ofAccount'>;
  readonly figuresOfAccounts: SharedAnswers<AccountFigures>;
}

/** Resolves to the figures of all links of an account, with the clicks that were imported. */
export function accountFigures(
  { stats, imports, figuresOfAccounts }: AccountFiguresDeps,
  accountId: string,
  range: DayRange,
  bots: Bots,
  signal: AbortSignal,
): Promise<AccountFigures> {
  const key = [accountId, range.from, range.to, bots].join(' ');
  return figuresOfAccounts.get(key, signal, async (unwanted) => {
    const [figures, imported] = await Promise.all([
      stats.accountFigures(accountId, range, bots, unwanted),
      imports.ofAccount(accountId, range),
    ]);
    if (imported.days.length === 0) return figures;
    // A link with imported clicks may be missing in a full list of the other clicks.
    const listed = new Set(figures.links.map(({ slug }) => slug));
    const missing = imported.links.flatMap(({ slug }) => (listed.has(slug) ? [] : [slug]));
    const isFull = figures.links.length === TOP_LINKS && missing.length > 0;
    const others = isFull ? await stats.days(accountId, missing, range, bots, unwanted) : [];
    const links = summed([...figures.links, ...others, ...imported.links])
      .sort(byClicks)
      .slice(0, TOP_LINKS);
    return { ...withImported(figures, imported.days), links };
  });
}

function summed(clicks: readonly LinkClicks[]): LinkClicks[] {
  const sums = new Map<string, number>();
  for (const { slug, clicks: count } of clicks) sums.set(slug, (sums.get(slug) ?? 0) + count);
  return [...sums].map(([slug, count]) => ({ slug, clicks: count }));
}
