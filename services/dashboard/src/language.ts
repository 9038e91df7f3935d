/** The language of the dashboard: the one chosen in this browser, else the first of the browser's that there is. */
import type english from './locales/en.json';

/** By code. English is part of the dashboard itself. */
export const locales: Readonly<Record<string, () => Promise<typeof english>>> = Object.fromEntries(
  Object.entries(
    import.meta.glob<typeof english>(['./locales/*.json', '!./locales/en.json'], { import: 'default' }),
  ).map(([file, load]) => [file.slice('./locales/'.length, -'.json'.length), load]),
);
/** With their own names. */
export const LANGUAGES = ['en', ...Object.keys(locales)].map(
  (code) => [code, new Intl.DisplayNames(code, { type: 'language' }).of(code) ?? code] as const,
);

const STORED = 'language';
const known = (tag: string | null): string | undefined =>
  LANGUAGES.map(([code]) => code).find((code) => code === tag?.split('-')[0]);

/** Undefined: the browser's. */
export const chosenLanguage = known(localStorage.getItem(STORED));
export const language = chosenLanguage ?? navigator.languages.map(known).find(Boolean) ?? 'en';
/** For dates and numbers: with the region of the browser, where it has one for this language. */
export const locale = navigator.languages.find((tag) => known(tag) === language) ?? language;

/** The page comes anew: every word on it changes. */
export function chooseLanguage(tag: string): void {
  const chosen = known(tag);
  if (chosen === undefined) localStorage.removeItem(STORED);
  else localStorage.setItem(STORED, chosen);
  location.reload();
}

// Made once: to make a format takes longer than to use it, and a page of links has hundreds of dates.
const NUMBER = new Intl.NumberFormat(locale);
const TIME = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' });
const MOMENT = new Intl.DateTimeFormat(locale, {
  day: 'numeric',
  month: 'numeric',
  year: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
});

export const number = (value: number) => NUMBER.format(value);
export const percent = (share: number) =>
  share.toLocaleString(locale, { style: 'percent', maximumFractionDigits: share < 0.1 ? 1 : 0 });

export const asTime = (at: string) => TIME.format(new Date(at));
export const asDay = (at: string) => DAY.format(new Date(at));
export const asMoment = (at: string) => MOMENT.format(new Date(at));
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
/** As in "14 minutes ago". */
export function ago(at: string): string {
  const minutes = Math.max(0, Math.round((Date.now() - Date.parse(at)) / 60_000));
  if (minutes < 60) return relative.format(-minutes, 'minute');
  return minutes < 48 * 60
    ? relative.format(-Math.round(minutes / 60), 'hour')
    : relative.format(-Math.round(minutes / (24 * 60)), 'day');
}
/** Of clicks: days are UTC. */
export const asClickDay = (date: string, withYear = true) =>
  new Date(date).toLocaleDateString(locale, {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
    ...(withYear && { year: 'numeric' }),
  });

const regions = new Intl.DisplayNames(locale, { type: 'region', fallback: 'code' });
/** Of an ISO 3166-1 code; the code itself where it is none. */
export function regionName(code: string): string {
  try {
    return regions.of(code) ?? code;
  } catch {
    return code;
  }
}
export const list = (texts: readonly string[]) => new Intl.ListFormat(locale).format(texts);
