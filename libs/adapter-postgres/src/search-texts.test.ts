import { expect, test } from '@jest/globals';
import { sharedPieces, trigramsOf } from './search-texts.ts';

test('a trigram has the number that texts are stored with', () => {
  expect(trigramsOf('https')).toEqual([2181, 4083, 3979]);
  expect(trigramsOf('é')).toEqual([]);
  expect(trigramsOf('aé')).toHaveLength(1);
  expect(trigramsOf('ab\x01cd\nef')).toEqual([]);
});

test.each([
  ['one line', ['s1\x01https://a.example/x'], ['https://a.example/x', 's1']],
  [
    'how destinations begin, within a word and a number',
    ['s1\x01https://site10.example/a?x=1', 's2\x01https://site12.example/b?x=1', 't\x01https://site199.example/c?x=2'],
    ['https://site1', '.example/', 'x='],
  ],
  ['no half of a character', ['a\x01https://e/😀', 'b\x01https://e/😁'], ['https://e/']],
  ['nothing but what begins a URL', ['a\x01https://x.example/', 'b\x01https://y.test/'], ['https://']],
])('lines share %s', (_, lines, expected) => {
  const pieces = sharedPieces(lines).split('\n');
  for (const piece of pieces) for (const line of lines) expect(line).toContain(piece);
  expect(pieces).toEqual(expected);
});
