import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { replacedBy, UTM_FIELDS, utmIn, utmOf, withUtm } from './utm.ts';

const SPRING = { utm_source: 'mail', utm_campaign: 'spring' };

test.each([
  ['https://example.org', 'https://example.org?utm_source=mail&utm_campaign=spring'],
  ['https://example.org/?', 'https://example.org/?utm_source=mail&utm_campaign=spring'],
  ['https://example.org/a?b=1&c#d', 'https://example.org/a?b=1&c&utm_source=mail&utm_campaign=spring#d'],
  ['https://example.org/#/a?b=1', 'https://example.org/?utm_source=mail&utm_campaign=spring#/a?b=1'],
  [
    'https://example.org/?q=a+b%20c&x=%E4&&y=1?2',
    'https://example.org/?q=a+b%20c&x=%E4&&y=1?2&utm_source=mail&utm_campaign=spring',
  ],
])('%s keeps its path, query, order and fragment', (url, expected) => {
  expect(withUtm(url, SPRING)).toBe(expected);
});

test('a parameter of the URL is replaced where it stands, however it is written and repeated', () => {
  const url = 'https://example.org/?utm_campaign=old&a=1&utm%5Fcampaign=older&utm_term=x&UTM_SOURCE=y#f';
  expect(withUtm(url, SPRING)).toBe(
    'https://example.org/?utm_campaign=spring&a=1&utm_term=x&UTM_SOURCE=y&utm_source=mail#f',
  );
  expect(utmIn('https://example.org/??utm_term=x')).toEqual({});
  expect(replacedBy(url, SPRING)).toEqual(['utm_campaign']);
  expect(replacedBy(withUtm(url, SPRING), SPRING)).toEqual([]);
});

test('a value may have spaces, signs, umlauts and half characters', () => {
  expect(withUtm('https://example.org/', { utm_term: ' a b+c&d=é#?/ü ' })).toBe(
    'https://example.org/?utm_term=a%20b%2Bc%26d%3D%C3%A9%23%3F%2F%C3%BC',
  );
  expect(withUtm('https://example.org/', { utm_term: 'a\ud800' })).toBe('https://example.org/?utm_term=a%EF%BF%BD');
});

test('what is empty changes nothing', () => {
  expect(withUtm('https://example.org/?utm_term=x', { utm_term: ' ' })).toBe('https://example.org/?utm_term=x');
  expect(utmOf({ utm_source: ' a ', utm_medium: '', utm_term: 1, other: 'b' })).toEqual({ utm_source: 'a' });
});

test('what is written is read back, and the rest of the URL is as before', () => {
  const value = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text.trim() !== '');
  const utm = fc.record(Object.fromEntries(UTM_FIELDS.map((name) => [name, value])), { requiredKeys: [] });
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), utm, (url, values) => {
      const built = withUtm(url, values);
      expect(utmIn(built)).toEqual({ ...utmIn(url), ...utmOf(values) });
      expect(withUtm(built, values)).toBe(built);
      expect(new URL(built).hash).toBe(new URL(url).hash);
      const own = (text: string) =>
        text
          .replace(/#.*/, '')
          .split('?')
          .slice(1)
          .join('?')
          .split('&')
          .filter((pair) => !pair.startsWith('utm_') && pair !== '');
      expect(own(built)).toEqual(own(url));
    }),
  );
});
