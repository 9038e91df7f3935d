/**
 * The texts of visitor pages in ICU MessageFormat, one file per language in `locales`. `{link}` is an argument, and
 * `<b>` is the only tag. A message is compiled only once.
 */
import { type Html, type HtmlValue, html, type Language, textsIn } from '@waypost/html';
import { IntlMessageFormat } from 'intl-messageformat';
import type english from './locales/en.json';

export type Words = typeof english;
export const WORDS = textsIn<Words>(new URL('./locales/', import.meta.url));

const compiled = new Map<string, IntlMessageFormat>();

function messageOf(language: Language, message: string): IntlMessageFormat {
  const key = language + message;
  const format = compiled.get(key) ?? new IntlMessageFormat(message, language);
  compiled.set(key, format);
  return format;
}

/** Returns the text without its markup. */
export const plain = (language: Language, message: string, values: Readonly<Record<string, string>> = {}): string =>
  String(messageOf(language, message).format({ ...values, b: (parts) => parts.join('') }));

/** Returns the text with its markup. Values that are not `Html` are escaped. */
export const rich = (language: Language, message: string, values: Readonly<Record<string, HtmlValue>> = {}): Html =>
  concat(
    messageOf(language, message)
      .formatToParts<HtmlValue>({ ...values, b: (parts) => html`<b>${concat(parts)}</b>` })
      .map(({ value }) => value),
  );

const concat = (parts: readonly HtmlValue[]): Html => html`${parts.map((part) => html`${part}`)}`;
