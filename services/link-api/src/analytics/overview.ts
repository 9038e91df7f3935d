import { analyticsRecord, daysOf, type Period, rangeBefore, rangeOf, TOP_N, type Totals } from '@waypost/domain';
import type { Bots, ClickStats } from '@waypost/ports';
import type { LinkStore } from '../links/index.ts';
import { type AccountFiguresDeps, accountFigures } from './account-figures.ts';

interface Deps extends AccountFiguresDeps {
  readonly stats: ClickStats;
  readonly links: Pick<LinkStore, 'changedSince'>;
  readonly now: () => Date;
}

export async function getOverview(
  deps: Deps,
  accountId: string,
  { period, bots }: { period: Period; bots: Bots },
  signal: AbortSignal,
) {
  const now = deps.now();
  const [firstDay] = daysOf(period, now);
  const [{ links: mostClicked, ...figures }, links] = await Promise.all([
    accountFigures(deps, accountId, rangeOf(period, now), bots, signal),
    deps.links.changedSince(accountId, new Date(firstDay!)),
  ]);
  const previous = await totalsBefore(deps, accountId, { period, bots, now }, signal);
  return { ...analyticsRecord(period, now, figures), top_links: mostClicked.slice(0, TOP_N), previous, links };
}

async function totalsBefore(
  { stats, imports }: Deps,
  accountId: string,
  { period, bots, now }: { period: Period; bots: Bots; now: Date },
  signal: AbortSignal,
): Promise<Totals | null> {
  const range = rangeBefore(period, now);
  if (range === undefined) return null;
  const totals = await stats.accountTotals(accountId, range, bots, signal);
  const imported = await imports.ofAccount(accountId, range);
  const clicks = imported.days.reduce((sum, day) => sum + day.clicks, totals.total_clicks);
  return { ...totals, total_clicks: clicks };
}
