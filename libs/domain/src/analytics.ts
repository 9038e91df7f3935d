/** The format of the analytics record is described in docs/contract.md (GET /links/:slug/analytics). */

export const PERIODS = { '7d': 7, '30d': 30, '90d': 90 } as const;
export type Period = keyof typeof PERIODS;
export const DEFAULT_PERIOD: Period = '7d';
export const TOP_N = 10;

export interface DayClicks {
  /** `YYYY-MM-DD`, in UTC. */
  readonly date: string;
  readonly clicks: number;
}

export interface ClickFigures {
  readonly total_clicks: number;
  readonly unique_visitors: number;
  readonly bot_clicks: number;
  /** The part of `total_clicks` that another service counted before the import. Absent if no clicks were imported. */
  readonly imported_clicks?: number;
  /** Contains only the days with clicks, in any order. */
  readonly days: readonly DayClicks[];
  readonly top_referrers: readonly { readonly referrer: string; readonly count: number }[];
  readonly top_countries: readonly { readonly country: string; readonly count: number }[];
  readonly top_devices: readonly { readonly device: string; readonly count: number }[];
  readonly top_browsers: readonly { readonly browser: string; readonly count: number }[];
}

export type Analytics = Omit<ClickFigures, 'days'> & {
  readonly slug: string;
  readonly period: Period;
  readonly time_series: readonly DayClicks[];
};

const DAY_MS = 86_400_000;

/** Returns the last 7, 30 or 90 UTC calendar days as `YYYY-MM-DD`, oldest first. Today is the last one. */
export function daysOf(period: Period, now: Date): string[] {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const count = PERIODS[period];
  return Array.from({ length: count }, (_, i) => new Date(today - (count - 1 - i) * DAY_MS).toISOString().slice(0, 10));
}

/** Adds the clicks that another service counted. Their visitors, countries and referrers are unknown. */
export function withImported(figures: ClickFigures, imported: readonly DayClicks[]): ClickFigures {
  if (imported.length === 0) return figures;
  const byDay = new Map(figures.days.map(({ date, clicks }) => [date, clicks]));
  for (const { date, clicks } of imported) byDay.set(date, (byDay.get(date) ?? 0) + clicks);
  const sum = imported.reduce((total, { clicks }) => total + clicks, 0);
  return {
    ...figures,
    total_clicks: figures.total_clicks + sum,
    imported_clicks: sum,
    days: [...byDay].map(([date, clicks]) => ({ date, clicks })),
  };
}

/** `time_series` has an entry for each day, also for days without clicks, so its sum is `total_clicks`. */
export function analyticsRecord(slug: string, period: Period, now: Date, figures: ClickFigures): Analytics {
  const { days, ...rest } = figures;
  const byDay = new Map(days.map(({ date, clicks }) => [date, clicks]));
  const time_series = daysOf(period, now).map((date) => ({ date, clicks: byDay.get(date) ?? 0 }));
  return { slug, period, ...rest, time_series };
}
