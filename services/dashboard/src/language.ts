/** The language is the one chosen in this browser, or the first supported language of the browser's preferences. */
import type english from './locales/en.json';
import { store, stored } from './storage.ts';

/** English is not in this list, because it is part of the main bundle. */
export const locales: Readonly<Record<string, () => Promise<typeof english>>> = Object.fromEntries(
  Object.entries(
    import.meta.glob<typeof english>(['./locales/*.json', '!./locales/en.json'], { import: 'default' }),
  ).map(([file, load]) => [file.slice('./locales/'.length, -'.json'.length), load]),
);
export const LANGUAGES = ['en', ...Object.keys(locales)].map(
  (code) => [code, new Intl.DisplayNames(code, { type: 'language' }).of(code) ?? code] as const,
);

const STORED = 'language';
const supported = (tag: string | null): string | undefined =>
  LANGUAGES.map(([code]) => code).find((code) => code === tag?.split('-')[0]);

export const chosenLanguage = supported(stored(STORED));
export const language = chosenLanguage ?? navigator.languages.map(supported).find(Boolean) ?? 'en';
export const locale = navigator.languages.find((tag) => supported(tag) === language) ?? language;

export function chooseLanguage(tag: string): void {
  store(STORED, supported(tag) ?? null);
  location.reload();
}

// These formats are created once, because that is slow and a page of links has hundreds of dates.
const NUMBER = new Intl.NumberFormat(locale);
const TIME = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' });
const MOMENT = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const DAY = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' });

export const number = (value: number) => NUMBER.format(value);
export const percent = (share: number, signDisplay: 'auto' | 'exceptZero' = 'auto') =>
  share.toLocaleString(locale, { style: 'percent', maximumFractionDigits: Math.abs(share) < 0.1 ? 1 : 0, signDisplay });

export const asTime = (at: string) => TIME.format(new Date(at));
export const asDay = (at: string) => DAY.format(new Date(at));
export const asMoment = (at: string) => MOMENT.format(new Date(at));
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
function fromNow(at: string, sign: 1 | -1): string {
  const minutes = Math.max(0, Math.round((sign * (Date.parse(at) - Date.now())) / 60_000));
  if (minutes < 60) return relative.format(sign * minutes, 'minute');
  return minutes < 48 * 60
    ? relative.format(sign * Math.round(minutes / 60), 'hour')
    : relative.format(sign * Math.round(minutes / (24 * 60)), 'day');
}
/** For example "14 minutes ago". */
export const ago = (at: string) => fromNow(at, -1);
/** For example "in 3 days". */
export const until = (at: string) => fromNow(at, 1);
/** For example "tomorrow" or "in 14 days". */
export const inDays = (days: number) => relative.format(days, 'day');
/** The time zone of this browser at a time, for example "Central European Summer Time". */
export const zoneAt = (at: Date) =>
  new Intl.DateTimeFormat(locale, { timeZoneName: 'long' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value ?? '';
/** For example "40 seconds" or "3 hours". */
export function lasting(seconds: number): string {
  const units = [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
  ] as const;
  const [unit, length] = units.find(([, length]) => seconds >= 2 * length) ?? ['second', 1];
  return Math.round(seconds / length).toLocaleString(locale, { style: 'unit', unit, unitDisplay: 'long' });
}
/** The days of clicks are in UTC, so they must not be converted to the local time zone. */
export const asClickDay = (date: string, withYear = true) =>
  new Date(date).toLocaleDateString(locale, {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
    ...(withYear && { year: 'numeric' }),
  });

const regions = new Intl.DisplayNames(locale, { type: 'region', fallback: 'code' });
/** `code`: ISO 3166-1. */
export function regionName(code: string): string {
  try {
    return regions.of(code) ?? code;
  } catch {
    return code;
  }
}
export const list = (texts: readonly string[]) => new Intl.ListFormat(locale).format(texts);
