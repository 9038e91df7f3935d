import fs from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { argumentsOf, messagesIn, translationsAgree } from '@waypost/test-support/translations';
import ts from 'typescript';
import { translate } from '../src/problems.ts';

const sources = new URL('../src/', import.meta.url);
const locales = new URL('locales/', sources);
const languages = fs.readdirSync(locales).map((name) => name.replace('.json', ''));

// The texts of the API are English, so English needs no translation of them.
translationsAgree(locales, languages, 'problems.');

describe('the use of messages in the code', () => {
  const messages = messagesIn(new URL('en.json', locales));
  const needed = Object.entries(messages).flatMap(([path, message]) => {
    const names = argumentsOf(message);
    return names.length === 0 ? [] : [[path, names] as const];
  });
  const mentions = fs
    .globSync('**/*.{ts,tsx}', { cwd: sources.pathname })
    .flatMap((name) => mentionsIn(name, fs.readFileSync(new URL(name, sources), 'utf8')));

  test('a message gets exactly the arguments that it has', () => {
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
  readonly values: readonly string[] | undefined;
}

/** Returns each use of a message, such as `words.links.taken`, also through a constant: `const t = words.links`. */
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

function filling(message: ts.Node): string[] | undefined {
  const call = message.parent;
  if (!ts.isCallExpression(call) || call.expression.getText() !== 'fill' || call.arguments[0] !== message)
    return undefined;
  const [, values] = call.arguments;
  return values && ts.isObjectLiteralExpression(values)
    ? values.properties.map((each) => each.name!.getText()).sort()
    : [];
}

/** No form of the dashboard can cause these problems, so they need no translation. */
const ELSEWHERE = new Set([
  'is also in add',
  'is not the slug of one of your links',
  'must have 1 to 7 entries',
  'must have add or remove, with one or more tags',
  'must have at least one of 7',
  'must have a contrast of 3 to 1 to the background, and be the darker of the two',
  'must be at least 7 for the code of this link',
  'must be a color such as #1e3a8a',
  'must be a color such as #fef3c7, or 7',
  'must have each slug only once',
  'is needed',
  'is nested more than 7 levels deep',
  'is not a passkey, identity, API key or webhook of this account',
  'does not belong to this account',
  'must be the ID of a delivery',
  'is not valid JSON: 7',
  'does not match its Content-Encoding',
  'is refused',
  'is suspended',
  'must be 1 to 255 printable ASCII characters',
  'must be the `next` of a previous page',
  'must be a JSON object',
  'must be a date, or a time such as 2026-11-21T00:00:00Z',
  'must be a whole number from 7',
  'must be base64url',
  'is required together with the other two of OIDC_',
  'must be a URL like https://id.example.org, without a query',
  'must be a URL like smtps://user:password@mail.example.org:465, or smtp:// for STARTTLS',
  'must be an e-mail address, like waypost@example.org',
  'is required together with SMTP_URL, MAIL_FROM and MAIL_TO',
  'must have at least one address',
  'must have at most 7 addresses',
  'must be one of {#valids}',
  'must have at most 7 entries',
  'must be slugs separated by commas',
  'must belong to the scope 7, but 7 does not',
  'must belong to the scope account, but case.opened does not',
  'must contain only read, write or admin, but contains "7"',
  'must have at most 300 entries, the limit of creations per hour',
  'must have at most 7 entries, the limit of creations per hour',
  'must have at most 7 entries, not 7',
  'must not repeat "7"',
  'must be one of 7d, 30d, 90d',
  'must be given at most 7 times: no link has more tags',
  'must not be repeated',
  'must answer an unused challenge of the last 5 minutes',
  'was used with a different body within the last 24 hours',
]);

const problemIn = (language: string) => {
  const { problems } = JSON.parse(fs.readFileSync(new URL(`${language}.json`, locales), 'utf8'));
  return (text: string) => translate(problems, text);
};

const SOURCES = ['services/link-api/src', 'libs/domain/src'];
const TEXT = /'((?:admin must|is|may|must|names|was) [^'\n]*)'|`((?:is|may|must|was) [^`\n]*)`/g;

test.each(languages.filter((language) => language !== 'en'))(
  'each problem that the API may report for a field of the dashboard is translated: %s',
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
    const problem = problemIn(language);
    expect(texts.filter((text) => !ELSEWHERE.has(text) && problem(text) === undefined)).toEqual([]);
  },
);

test('a translated problem keeps its numbers, and an unknown problem has no translation', () => {
  const inGerman = problemIn('de');
  expect(inGerman('must have 3 to 50 characters')).toBe('3 bis 50 Zeichen');
  expect(inGerman('must please everybody')).toBeUndefined();
});
