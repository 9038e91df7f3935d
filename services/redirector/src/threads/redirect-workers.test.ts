import { expect, test } from '@jest/globals';
import { redirectWorkers } from './redirect-workers.ts';

test('only Linux spreads visitors over threads: elsewhere auto is one, and a larger number is refused', () => {
  expect(redirectWorkers('auto', 'darwin')).toBe(1);
  expect(redirectWorkers('1', 'darwin')).toBe(1);
  expect(() => redirectWorkers('2', 'darwin')).toThrow('must be 1 on systems other than Linux');
  expect(redirectWorkers('2', 'linux')).toBe(2);
  expect(redirectWorkers('auto', 'linux')).toBeGreaterThanOrEqual(1);
});
