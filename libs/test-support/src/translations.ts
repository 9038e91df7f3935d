/** Compares JSON files of messages in ICU MessageFormat, one file for each language. */
import fs from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { IntlMessageFormat } from 'intl-messageformat';

type Tree = { readonly [key: string]: string | Tree };
type Messages = Readonly<Record<string, string>>;

/** Maps the path of each message to its text. */
export function messagesIn(file: URL): Messages {
  const flat = (tree: Tree, prefix: string): [string, string][] =>
    Object.entries(tree).flatMap(([key, inner]) =>
      typeof inner === 'string' ? [[prefix + key, inner]] : flat(inner, `${prefix}${key}.`),
    );
  return Object.fromEntries(flat(JSON.parse(fs.readFileSync(file, 'utf8')), ''));
}

/** Returns the names of a message's arguments and tags. Throws for a malformed message. */
export function argumentsOf(message: string): string[] {
  const names = (elements: ReturnType<IntlMessageFormat['getAst']>): string[] =>
    elements.flatMap((element) => {
      const own = 'value' in element && element.type !== 0 ? [element.value] : [];
      const options = 'options' in element ? Object.values(element.options).flatMap(({ value }) => names(value)) : [];
      return [...own, ...options, ...('children' in element ? names(element.children) : [])];
    });
  return [...new Set(names(new IntlMessageFormat(message, 'en').getAst()))].sort();
}

/**
 * Tests that the files of a folder (`en.json` and so on) agree. Messages whose path begins with `only` are not
 * compared.
 */
export function translationsAgree(folder: URL, languages: readonly string[], only?: string): void {
  const read = (language: string): [path: string, message: string][] =>
    Object.entries(messagesIn(new URL(`${language}.json`, folder))).filter(([path]) => !only || !path.startsWith(only));
  const english = read('en');

  test('there is a file for each language, and no other', () => {
    expect(fs.readdirSync(folder).sort()).toEqual(languages.map((language) => `${language}.json`).sort());
  });

  describe.each(languages)('the texts in %s', (language) => {
    test('are complete, each with the arguments of the English one', () => {
      const shape = (messages: typeof english) => messages.map(([path, message]) => [path, argumentsOf(message)]);
      expect(shape(read(language))).toEqual(shape(english));
      expect(read(language).filter(([, message]) => message.trim() === '')).toEqual([]);
    });

    test('are all translated', () => {
      const others = Object.fromEntries(language === 'en' ? [] : read(language));
      expect(english.filter(([path, message]) => message.includes(' ') && others[path] === message)).toEqual([]);
    });
  });
}
