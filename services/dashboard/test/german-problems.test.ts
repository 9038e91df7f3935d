/** The German dashboard has words for whatever the API says of a field. */
import fs from 'node:fs';
import { expect, test } from '@jest/globals';
import { germanProblem } from '../src/german-problems.ts';

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

const SOURCES = ['services/link-api/src/use-cases', 'services/link-api/src/endpoints', 'libs/domain/src'];
const TEXT = /'((?:admin must|is|may|must|names|was) [^'\n]*)'|`((?:is|may|must|was) [^`\n]*)`/g;

test('each text that the API may say of a field is translated, or no field of the dashboard shows it', () => {
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
  expect(texts.filter((text) => !ELSEWHERE.has(text) && germanProblem(text) === undefined)).toEqual([]);
});

test('numbers stand where they stood, and what is new stays as it is said', () => {
  expect(germanProblem('must be 3 to 50 characters')).toBe('3 bis 50 Zeichen');
  expect(germanProblem('must please everybody')).toBeUndefined();
});
