/** The languages of the dashboard say the same, and have words for whatever the API says of a field. */
import fs from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { argumentsOf, messagesIn, translationsAgree } from '@waypost/test-support/translations';
import ts from 'typescript';
import { translated } from '../src/problems.ts';

const sources = new URL('../src/', import.meta.url);
const locales = new URL('locales/', sources);
const languages = fs.readdirSync(locales).map((name) => name.replace('.json', ''));

// English is what the API says itself.
translationsAgree(locales, languages, 'problems.');

describe('what the sources make of a message', () => {
  const messages = messagesIn(new URL('en.json', locales));
  const needed = Object.entries(messages).flatMap(([path, message]) => {
    const names = argumentsOf(message);
    return names.length === 0 ? [] : [[path, names] as const];
  });
  const mentions = fs
    .globSync('**/*.{ts,tsx}', { cwd: sources.pathname })
    .flatMap((name) => mentionsIn(name, fs.readFileSync(new URL(name, sources), 'utf8')));

  test('each that has arguments is filled with exactly those, wherever it is said', () => {
    const wrong = mentions.filter(({ path, values }) => {
      const names = needed.find(([each]) => each === path)?.[1];
      return names === undefined ? values !== undefined : JSON.stringify(values) !== JSON.stringify(names);
    });
    expect(wrong).toEqual([]);
    expect(
      new Set(needed.map(([path]) => path).filter((path) => !mentions.some((each) => each.path === path))),
    ).toEqual(new Set());
  });
});

interface Mention {
  readonly name: string;
  readonly path: string;
  /** The names of what `fill` was given; undefined: it was not filled. */
  readonly values: readonly string[] | undefined;
}

/** Each `words.links.taken`, also as `said.taken` after `const said = words.links`. */
function mentionsIn(name: string, text: string): Mention[] {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const roots = new Map([['words', '']]);
  const mentions: Mention[] = [];
  const pathOf = (node: ts.Node): string | undefined => {
    if (ts.isIdentifier(node)) return roots.get(node.text);
    if (!ts.isPropertyAccessExpression(node)) return undefined;
    const parent = pathOf(node.expression);
    return parent === undefined ? undefined : `${parent}${parent && '.'}${node.name.text}`;
  };
  const visit = (node: ts.Node): void => {
    const path = ts.isPropertyAccessExpression(node.parent ?? node) ? undefined : pathOf(node);
    if (path) mentions.push({ name, path, values: filling(node) });
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
      const root = pathOf(node.initializer);
      if (root) roots.set(node.name.text, root);
    }
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(file, visit);
  return mentions;
}

/** The names of the values, in `fill(message, { … })`. */
function filling(message: ts.Node): string[] | undefined {
  const call = message.parent;
  if (!ts.isCallExpression(call) || call.expression.getText() !== 'fill' || call.arguments[0] !== message)
    return undefined;
  const [, values] = call.arguments;
  return values && ts.isObjectLiteralExpression(values)
    ? values.properties.map((each) => each.name!.getText()).sort()
    : [];
}

/** No field of the dashboard shows these: it does not ask for what they are about. */
const ELSEWHERE = new Set([
  'is not the id of a delivery',
  'is refused',
  'is suspended',
  'must be 1 to 255 printable ASCII characters',
  'must be `next` of the page before',
  'must be a JSON object',
  'must be a date, or a time such as 2026-11-21T00:00:00Z',
  'must be a whole number from 7',
  'must be base64url',
  'must be one of {#valids}',
  'must be one of 7d, 30d, 90d',
  'must be at most 7: no link has more',
  'must not be repeated',
  'was not made for this page just now',
  'was used with another body within the last 24 hours',
]);

const problemIn = (language: string) => {
  const { problems } = JSON.parse(fs.readFileSync(new URL(`${language}.json`, locales), 'utf8'));
  return (text: string) => translated(problems, text);
};

const SOURCES = ['services/link-api/src/use-cases', 'services/link-api/src/endpoints', 'libs/domain/src'];
const TEXT = /'((?:admin must|is|may|must|names|was) [^'\n]*)'|`((?:is|may|must|was) [^`\n]*)`/g;

test.each(languages.filter((language) => language !== 'en'))(
  'each text that the API may say of a field is in %s, or no field of the dashboard shows it',
  (language) => {
    const folder = new URL('../../../', import.meta.url);
    const texts = SOURCES.flatMap((source) =>
      fs
        .globSync(`${source}/**/*.ts`, { cwd: folder.pathname })
        .filter((name) => !name.endsWith('.test.ts'))
        .flatMap((name) =>
          [...fs.readFileSync(new URL(name, folder), 'utf8').matchAll(TEXT)].map(([, plain, filled]) =>
            (plain ?? filled!).replaceAll(/\$\{[^}]*\}|\{#limit\}/g, '7'),
          ),
        ),
    );
    expect(new Set(texts).size).toBeGreaterThan(40);
    const said = problemIn(language);
    expect(texts.filter((text) => !ELSEWHERE.has(text) && said(text) === undefined)).toEqual([]);
  },
);

test('numbers stand where they stood, and what is new stays as it is said', () => {
  const inGerman = problemIn('de');
  expect(inGerman('must be 3 to 50 characters')).toBe('3 bis 50 Zeichen');
  expect(inGerman('must please everybody')).toBeUndefined();
});
