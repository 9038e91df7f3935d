/**
 * Every text comes from `locales`, which has one file per language. Use `fill` for a message with arguments, which is
 * in ICU MessageFormat.
 */
import { IntlMessageFormat } from 'intl-messageformat';
import { language, locale, locales } from './language.ts';
import english from './locales/en.json' with { type: 'json' };
import { translate } from './problems.ts';

export const words = (await locales[language]?.()) ?? english;

const formats = new Map<string, IntlMessageFormat>();

/** Each message is compiled once, because a page of links shows some messages a hundred times. */
export function fill(message: string, values: Readonly<Record<string, string | number>>): string {
  const format = formats.get(message) ?? new IntlMessageFormat(message, locale);
  formats.set(message, format);
  return String(format.format(values));
}

/** A newer API may have values for which this version has no label. */
export const labelOf = (names: Readonly<Record<string, string>>, something: string): string =>
  names[something] ?? something;

export const threat = (type: string) => labelOf(words.threats, type).replaceAll('_', ' ');

export function problem(label: string, text: string): string | undefined {
  const own = language === 'en' ? text : translate(words.problems, text);
  return own === undefined ? undefined : fill(words.problem, { label, text: own });
}
