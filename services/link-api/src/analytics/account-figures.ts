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

interface TopLinksDeps {
  readonly stats: Pick<ClickStats, 'topLinks' | 'days'>;
  readonly imports: Pick<LinkImports, 'ofAccount'>;
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
    const [figures, imported] = await Promise.all([
      deps.stats.accountFigures(accountId, range, bots, unwanted),
      deps.imports.ofAccount(accountId, range),
    ]);
    const daysOf = (slugs: readonly string[]) => deps.stats.days(accountId, slugs, range, bots, unwanted);
    const links = await withImportedClicks(figures.links, imported.links, daysOf);
    return { ...withImported(figures, imported.days), links };
  });
}

/** Resolves to the links with the most clicks, imported ones included. */
export async function topLinks(
  { stats, imports }: TopLinksDeps,
  accountId: string,
  range: DayRange,
  bots: Bots,
  signal: AbortSignal,
): Promise<readonly LinkClicks[]> {
  const [links, imported] = await Promise.all([
    stats.topLinks(accountId, range, bots, signal),
    imports.ofAccount(accountId, range),
  ]);
  const daysOf = (slugs: readonly string[]) => stats.days(accountId, slugs, range, bots, signal);
  return withImportedClicks(links, imported.links, daysOf);
}

async function withImportedClicks(
  links: readonly LinkClicks[],
  imported: readonly LinkClicks[],
  daysOf: (slugs: readonly string[]) => Promise<readonly LinkClicks[]>,
): Promise<readonly LinkClicks[]> {
  if (imported.length === 0) return links;
  // A link with imported clicks may be missing in a full list of the other clicks.
  const listed = new Set(links.map(({ slug }) => slug));
  const missing = imported.flatMap(({ slug }) => (listed.has(slug) ? [] : [slug]));
  const isFull = links.length === TOP_LINKS && missing.length > 0;
  const others = isFull ? await daysOf(missing) : [];
  return summed([...links, ...others, ...imported])
    .sort(byClicks)
    .slice(0, TOP_LINKS);
}

function summed(clicks: readonly LinkClicks[]): LinkClicks[] {
  const sums = new Map<string, number>();
  for (const { slug, clicks: count } of clicks) sums.set(slug, (sums.get(slug) ?? 0) + count);
  return [...sums].map(([slug, count]) => ({ slug, clicks: count }));
}
