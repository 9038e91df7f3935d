/** Tests how much the scanner finds and gets wrong, on small sets and with the shipped data alone. */
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { measureHomePages, measureSets } from '../scripts/measure-sets.ts';
import { parseRuleIds } from '../src/judge/rule-set.ts';
import { newScanner } from './scanner-kit.ts';

const FLOORS: Readonly<Record<string, { flagged: number; orWarned: number }>> = {
  'harmful/malware-urlhaus-2026-04': { flagged: 0.86, orWarned: 0.95 },
  'harmful/phishing-shapes': { flagged: 0.95, orWarned: 1 },
};
const MOST_WARNED: Readonly<Record<string, number>> = {
  'harmless/debian-homepages-2026-11': 0.01,
  'harmless/media-pages-2026-10': 0.016,
  'harmless/look-alikes': 0.3,
};

const TOGETHER = 'https://bright-field-964590.framer.app/';

test('several signs flag a URL that no sign flags alone, and the reason names them', async () => {
  const { scanner } = await newScanner();
  const { verdicts } = await scanner.scan([TOGETHER]);
  expect(verdicts[0]).toMatchObject({ outcome: 'flagged', threat_type: 'phishing' });
  const together = verdicts[0]!.reasons.find(({ rule }) => rule === 'signs-together');
  expect(together?.evidence).toMatch(/^bright-field-964590\.framer\.app shows several signs: .*instant-hosting/);
});

test('signs of several URLs do not add up', async () => {
  const { outcome } = await newScanner();
  expect(await outcome('https://example.com/?a=http://somebody.weebly.com/&b=http://other.webflow.io/')).toBe('warned');
});

test('signs of a home page only warn, however many they are, but the same signs flag another page', async () => {
  const { outcome } = await newScanner();
  for (const name of ['btc-wallet-claim.tk', 'www.steam-gift-claim.tk', 'www.wallet-rewards.tk']) {
    expect({ name, outcome: await outcome(`https://${name}/`) }).toEqual({ name, outcome: 'warned' });
    expect({ name, outcome: await outcome(`https://${name}/login`) }).toEqual({ name, outcome: 'flagged' });
  }
  for (const name of ['paypa1.net', 'neetflix.net']) expect(await outcome(`https://${name}/`)).toBe('flagged');
});

test('a sign that only weighs warns alone only if it weighs much; otherwise it is not mentioned', async () => {
  const { scanner } = await newScanner();
  const [much, little] = (await scanner.scan(['https://dlscord-app-gift.com/', 'https://finance.ua/'])).verdicts;
  expect(much).toMatchObject({ outcome: 'warned', reasons: [{ rule: 'lexical-model' }] });
  expect(little).toMatchObject({ outcome: 'clean', reasons: [] });
});

test('home pages of unlisted, much visited sites are never flagged and rarely warned of', () => {
  const { urls, warned, wrong } = measureHomePages();
  expect(urls).toBeGreaterThan(19_000);
  expect(wrong).toEqual([]);
  expect(warned / urls).toBeLessThan(0.02);
});

test('a rule that is switched off finds nothing, and changes the rules in force', async () => {
  const { outcome } = await newScanner({ rulesOff: ['instant-hosting', 'made-up-tenant', 'machine-made-tenant'] });
  expect(await outcome(TOGETHER)).not.toBe('flagged');
  expect(() => parseRuleIds(['no-such-rule'])).toThrow('there is no rule "no-such-rule"');
});

test('the scanner reaches the limits on the sets of the repository', async () => {
  const { scanner } = await newScanner({ shippedFeedsFile: undefined as never });
  const sets = await measureSets(scanner, fileURLToPath(new URL('sets', import.meta.url)));
  expect(sets.map(({ name }) => name).sort()).toEqual([...Object.keys(FLOORS), ...Object.keys(MOST_WARNED)].sort());
  for (const { name, urls, flagged, warned, wrong } of sets) {
    const floor = FLOORS[name];
    if (floor !== undefined) {
      expect({ name, flagged: flagged / urls >= floor.flagged || flagged / urls }).toEqual({ name, flagged: true });
      const rate = (flagged + warned) / urls;
      expect({ name, orWarned: rate >= floor.orWarned || rate }).toEqual({ name, orWarned: true });
    } else {
      expect({ name, wrong }).toEqual({ name, wrong: [] });
      expect({ name, warned: warned / urls <= MOST_WARNED[name]! || warned / urls }).toEqual({ name, warned: true });
    }
  }
}, 60_000);
