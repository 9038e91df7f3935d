/** Translations of one another: JSON files of messages in ICU MessageFormat, one for each language. */
import fs from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { IntlMessageFormat } from 'intl-messageformat';

type Tree = { readonly [key: string]: string | Tree };
type Messages = Readonly<Record<string, string>>;

/** The messages of a file, by their paths in it. */
export function messagesIn(file: URL): Messages {
  const flat = (tree: Tree, prefix: string): [string, string][] =>
    Object.entries(tree).flatMap(([key, inner]) =>
      typeof inner === 'string' ? [[prefix + key, inner]] : flat(inner, `${prefix}${key}.`),
    );
  return Object.fromEntries(flat(JSON.parse(fs.readFileSync(file, 'utf8')), ''));
}

/** The names of a message's arguments and tags. Throws for what is no message. */
export function argumentsOf(message: string): string[] {
  const names = (elements: ReturnType<IntlMessageFormat['getAst']>): string[] =>
    elements.flatMap((element) => {
      const own = 'value' in element && element.type !== 0 ? [element.value] : [];
      const options = 'options' in element ? Object.values(element.options).flatMap(({ value }) => names(value)) : [];
      return [...own, ...options, ...('children' in element ? names(element.children) : [])];
    });
  return [...new Set(names(new IntlMessageFormat(message, 'en').getAst()))].sort();
}

/** Tests a folder of such files, `en.json` and so on. `only`: how the paths begin that a language has for itself. */
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
