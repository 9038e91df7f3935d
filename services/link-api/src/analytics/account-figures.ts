import {
  type AccountFigures,
  byClicks,
  type DayClicks,
  type DayRange,
  type LinkClicks,
  TOP_LINKS,
  withImported,
} from '@waypost/domain';
import type { Bots, ClickStats } from '@waypost/ports';
import type { SharedAnswers } from '@waypost/resilience';
import type { LinkImports } from '../links/index.ts';

interface TopLinksDeps {
  readonly stats: Pick<ClickStats, 'topLinks' | 'days'>;
  readonly imports: Pick<LinkImports, 'ofAccount'>;
}

export interface AccountFiguresDeps extends TopLinksDeps {
  readonly stats: Pick<ClickStats, 'accountFigures' | 'topLinks' | 'days'>;
  readonly figuresOfAccounts: SharedAnswers<AccountFigures>;
}

/** Resolves to the figures of all links of an account, with the clicks that were imported. */
export function accountFigures(
  deps: AccountFiguresDeps,
  accountId: string,
  range: DayRange,
  bots: Bots,
  signal: AbortSignal,
): Promise<AccountFigures> {
  const key = [accountId, range.from, range.to, bots].join(' ');
  return deps.figuresOfAccounts.get(key, signal, async (unwanted) => {
    // One query at a time, so that the click store serves other accounts in between.
    const figures = await deps.stats.accountFigures(accountId, range, bots, unwanted);
    const { importedDays, links } = await topLinks(deps, accountId, range, bots, unwanted);
    return { ...withImported(figures, importedDays), links };
  });
}

/** Resolves to the links with the most clicks, imported ones included, and to the imported clicks by day. */
export async function topLinks(
  { stats, imports }: TopLinksDeps,
  accountId: string,
  range: DayRange,
  bots: Bots,
  signal: AbortSignal,
): Promise<{ readonly links: readonly LinkClicks[]; readonly importedDays: readonly DayClicks[] }> {
  const [links, imported] = await Promise.all([
    stats.topLinks(accountId, range, bots, signal),
    imports.ofAccount(accountId, range),
  ]);
  if (imported.days.length === 0) return { links, importedDays: [] };
  // A link with imported clicks may be missing in a full list of the other clicks.
  const listed = new Set(links.map(({ slug }) => slug));
  const missing = imported.links.flatMap(({ slug }) => (listed.has(slug) ? [] : [slug]));
  const isFull = links.length === TOP_LINKS && missing.length > 0;
  const others = isFull ? await stats.days(accountId, missing, range, bots, signal) : [];
  const sums = summed([...links, ...others, ...imported.links]);
  return { links: sums.sort(byClicks).slice(0, TOP_LINKS), importedDays: imported.days };
}

function summed(clicks: readonly LinkClicks[]): LinkClicks[] {
  const sums = new Map<string, number>();
  for (const { slug, clicks: count } of clicks) sums.set(slug, (sums.get(slug) ?? 0) + count);
  return [...sums].map(([slug, count]) => ({ slug, clicks: count }));
}
