/** Floors of what the scanner finds, and ceilings of what it gets wrong, on small sets and with what ships alone. */
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { measureSets } from './measure-sets.ts';
import { newScanner } from './scanner-kit.ts';

const FLOORS: Readonly<Record<string, { flagged: number; orWarned: number }>> = {
  'harmful/malware-urlhaus-2026-04': { flagged: 0.8, orWarned: 0.88 },
  'harmful/phishing-shapes': { flagged: 0.7, orWarned: 0.95 },
};
const MOST_WARNED: Readonly<Record<string, number>> = {
  'harmless/debian-homepages-2026-11': 0.02,
  'harmless/media-pages-2026-10': 0.02,
  'harmless/look-alikes': 0.5,
};

test('the sets of the repository', async () => {
  const { scanner } = await newScanner({ shippedFeedsFile: undefined as never });
  const sets = await measureSets(scanner, fileURLToPath(new URL('sets', import.meta.url)));
  expect(sets.map(({ name }) => name).sort()).toEqual([...Object.keys(FLOORS), ...Object.keys(MOST_WARNED)].sort());
  for (const { name, urls, flagged, warned, wrong } of sets) {
    const floor = FLOORS[name];
    if (floor !== undefined) {
      expect({ name, flagged: flagged / urls >= floor.flagged || flagged / urls }).toEqual({ name, flagged: true });
      const found = (flagged + warned) / urls;
      expect({ name, orWarned: found >= floor.orWarned || found }).toEqual({ name, orWarned: true });
    } else {
      expect({ name, wrong }).toEqual({ name, wrong: [] });
      expect({ name, warned: warned / urls <= MOST_WARNED[name]! || warned / urls }).toEqual({ name, warned: true });
    }
  }
}, 60_000);
