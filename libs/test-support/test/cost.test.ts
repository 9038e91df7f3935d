import { describe, expect, test } from '@jest/globals';
import { costOfDoubling } from '../src/index.ts';

describe('the cost of a doubled input', () => {
  const dots = (size: number) => `${'.'.repeat(size)}x`;

  test('is quadratic for an expression that restarts at every character', async () => {
    expect(await costOfDoubling(dots, (text) => /\.+$/.test(text), 2_000)).toBeGreaterThan(3);
  });

  test('is linear for a loop', async () => {
    const count = (text: string) => {
      let slowest = 0;
      for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) === 46) slowest++;
      return slowest;
    };
    expect(await costOfDoubling(dots, count, 20_000)).toBeLessThan(2.5);
  });
});
