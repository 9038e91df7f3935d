/** The format of the analytics record is described in docs/contract.md (GET /links/:slug/analytics). */
import { CLICK_RETENTION_DAYS } from './click.ts';

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
  /** Contains only the days with clicks, in any order. The clicks of a day that is there twice are added. */
  readonly days: readonly DayClicks[];
  readonly top_referrers: readonly { readonly referrer: string; readonly count: number }[];
  readonly top_countries: readonly { readonly country: string; readonly count: number }[];
  readonly top_devices: readonly { readonly device: string; readonly count: number }[];
  readonly top_browsers: readonly { readonly browser: string; readonly count: number }[];
}

/** Sorts by clicks, highest first, then by slug. */
export function byClicks(one: LinkClicks, other: LinkClicks): number {
  return other.clicks - one.clicks || (one.slug < other.slug ? -1 : 1);
}

export type Analytics = Omit<ClickFigures, 'days'> & {
  readonly slug: string;
  readonly period: Period;
  readonly time_series: readonly DayClicks[];
};

export interface LinkClicks {
  readonly slug: string;
  readonly clicks: number;
}

/** A list sorted by clicks has at most this many links. */
export const TOP_LINKS = 1_000;

export interface AccountFigures extends ClickFigures {
  /** Only links with clicks, highest count first, then by slug. */
  readonly links: readonly LinkClicks[];
}

/** The clicks and visitors of one period. */
export type Totals = Pick<ClickFigures, 'total_clicks' | 'unique_visitors'>;

/** Whole UTC days as `YYYY-MM-DD`, both included. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

const DAY_MS = 86_400_000;

/** Returns the last 7, 30 or 90 UTC calendar days as `YYYY-MM-DD`, oldest first. Today is the last one. */
export function daysOf(period: Period, now: Date): string[] {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const count = PERIODS[period];
  return Array.from({ length: count }, (_, i) => new Date(today - (count - 1 - i) * DAY_MS).toISOString().slice(0, 10));
}

export function rangeOf(period: Period, now: Date): DayRange {
  const days = daysOf(period, now);
  return { from: days[0]!, to: days.at(-1)! };
}

/** Returns the period before, or undefined if clicks are not stored for that long. */
export function rangeBefore(period: Period, now: Date): DayRange | undefined {
  const count = PERIODS[period];
  return 2 * count > CLICK_RETENTION_DAYS ? undefined : rangeOf(period, new Date(now.getTime() - count * DAY_MS));
}

/** Adds the clicks that another service counted. Their visitors, countries and referrers are unknown. */
export function withImported<F extends ClickFigures>(figures: F, imported: readonly DayClicks[]): F {
  if (imported.length === 0) return figures;
  const sum = imported.reduce((total, { clicks }) => total + clicks, 0);
  return {
    ...figures,
    total_clicks: figures.total_clicks + sum,
    imported_clicks: sum,
    days: [...figures.days, ...imported],
  };
}

/** `time_series` has an entry for each day, also for days without clicks, so its sum is `total_clicks`. */
export function analyticsRecord(period: Period, now: Date, { days, ...rest }: ClickFigures): Omit<Analytics, 'slug'> {
  return { period, ...rest, time_series: timeSeries(period, now, days) };
}

export function timeSeries(period: Period, now: Date, days: readonly DayClicks[]): DayClicks[] {
  const byDay = new Map<string, number>();
  for (const { date, clicks } of days) byDay.set(date, (byDay.get(date) ?? 0) + clicks);
  return daysOf(period, now).map((date) => ({ date, clicks: byDay.get(date) ?? 0 }));
}
