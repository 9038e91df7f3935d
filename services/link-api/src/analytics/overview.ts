import {
  type AccountFigures,
  analyticsRecord,
  daysOf,
  type Period,
  rangeBefore,
  rangeOf,
  TOP_N,
} from '@waypost/domain';
import type { Bots, ClickStats } from '@waypost/ports';
import type { SharedAnswers } from '@waypost/resilience';
import type { LinkStore } from '../links/index.ts';

interface Deps {
  readonly stats: Pick<ClickStats, 'accountFigures' | 'accountTotals'>;
  readonly links: Pick<LinkStore, 'changedSince' | 'findAll'>;
  readonly figuresOfAccounts: SharedAnswers<AccountFigures>;
  readonly now: () => Date;
}

export async function getOverview(
  { stats, links, figuresOfAccounts, now }: Deps,
  accountId: string,
  { period, bots }: { period: Period; bots: Bots },
  signal: AbortSignal,
) {
  const at = now();
  const range = rangeOf(period, at);
  const [firstDay] = daysOf(period, at);
  const key = [accountId, range.from, range.to, bots].join(' ');
  const [{ links: mostClicked, ...figures }, changed] = await Promise.all([
    figuresOfAccounts.get(key, signal, (unwanted) => stats.accountFigures(accountId, range, bots, unwanted)),
    links.changedSince(accountId, new Date(firstDay!)),
  ]);
  const before = rangeBefore(period, at);
  const previous = before === undefined ? null : await stats.accountTotals(accountId, before, bots, signal);
  const top = mostClicked.slice(0, TOP_N);
  const topLinks = await links.findAll(top.map(({ slug }) => slug));
  const titles = new Map(topLinks.map(({ slug, title }) => [slug, title]));
  return {
    ...analyticsRecord(period, at, figures),
    top_links: top.map(({ slug, clicks }) => ({ slug, title: titles.get(slug) ?? null, clicks })),
    previous,
    links: changed,
  };
}
