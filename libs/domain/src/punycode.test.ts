import { domainToUnicode } from 'node:url';
import { expect, test } from '@jest/globals';
import { costOfDoubling } from '@waypost/test-support';
import { decodePunycode } from './punycode.ts';

test.each(['bcher-kva', 'e1afmkfd', '80ak6aa92e', 'mgba3gch31f060k', '-'])('decodes %s as Node does', (encoded) => {
  const text = domainToUnicode(`xn--${encoded}`);
  expect(decodePunycode(encoded) ?? `xn--${encoded}`).toBe(text === '' ? `xn--${encoded}` : text);
});

test('costs at most 2.5 times as much for twice the text, and refuses text too long for a label', async () => {
  for (const size of [29, 1_000, 100_000]) {
    expect(await costOfDoubling((length) => 'a'.repeat(length), decodePunycode, size)).toBeLessThan(2.5);
  }
  expect(decodePunycode('a'.repeat(60))).toBeUndefined();
});
