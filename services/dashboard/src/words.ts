/**
 * Every word that the dashboard says, in whole sentences: one file per language in `locales`. A message with arguments
 * is in ICU MessageFormat, and `fill` makes its text.
 */
import { IntlMessageFormat } from 'intl-messageformat';
import { language, locale, locales } from './language.ts';
import english from './locales/en.json' with { type: 'json' };
import { translated } from './problems.ts';

/** Another language is loaded when it is spoken. */
export const words = (await locales[language]?.()) ?? english;

const compiled = new Map<string, IntlMessageFormat>();

/** A page of links has some messages a hundred times: each is compiled once. */
export function fill(message: string, values: Readonly<Record<string, string | number>>): string {
  const format = compiled.get(message) ?? new IntlMessageFormat(message, locale);
  compiled.set(message, format);
  return String(format.format(values));
}

/** What `names` call something of the API's; the API may have newer ones. */
export const named = (names: Readonly<Record<string, string>>, something: string): string =>
  names[something] ?? something;

/** The type of a threat as people say it. */
export const threat = (type: string) => named(words.threats, type).replaceAll('_', ' ');

/** What is wrong with a field, as the API says it; undefined where only English says it. */
export function problem(label: string, text: string): string | undefined {
  const own = language === 'en' ? text : translated(words.problems, text);
  return own === undefined ? undefined : fill(words.problem, { label, text: own });
}
