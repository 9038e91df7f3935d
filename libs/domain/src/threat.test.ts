import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { flagMessage, isThreatType, mostSevere, THREAT_TYPES, verdictMessage } from './threat.ts';

describe('the most severe threat', () => {
  test('is the first in the order of severity, in any order of detection', () => {
    expect(mostSevere(['spam', 'phishing', 'malware'])).toBe('malware');
    expect(mostSevere(['policy_violation', 'suspicious'])).toBe('suspicious');
    expect(mostSevere([])).toBeNull();
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...THREAT_TYPES), { minLength: 1 }), (types) => {
        const worst = mostSevere(types)!;
        expect(types).toContain(worst);
        for (const type of types) {
          expect(THREAT_TYPES.indexOf(type)).toBeGreaterThanOrEqual(THREAT_TYPES.indexOf(worst));
        }
      }),
    );
  });
});

test('the threat types are the eight types of docs/contract.md, the most severe first', () => {
  expect(THREAT_TYPES).toEqual(
    'malware phishing harmful_application scam unwanted_software spam suspicious policy_violation'.split(' '),
  );
  for (const type of THREAT_TYPES) expect(isThreatType(type)).toBe(true);
  for (const other of ['', 'Malware', 'virus', null, undefined, 5, ['malware']])
    expect(isThreatType(other)).toBe(false);
});

test('each flag message says "suspected" and that the link will not redirect', () => {
  const messages = THREAT_TYPES.map(flagMessage);
  expect(new Set(messages).size).toBe(THREAT_TYPES.length);
  for (const message of messages) expect(message).toMatch(/suspected of .*will not redirect/);
});

test('a verdict in words says what would become of a link, and promises nothing', () => {
  const words = (outcome: 'clean' | 'warned' | 'flagged' | 'refused', evidence = '') =>
    verdictMessage({
      outcome,
      threat_type: outcome === 'clean' || outcome === 'refused' ? null : 'scam',
      reasons: [{ rule: 'r', evidence }],
    });
  expect(words('clean')).toMatch(/no guarantee/);
  expect(words('warned')).toMatch(/signs of a scam.*would redirect/);
  expect(words('flagged')).toMatch(/suspected of a scam.*would not redirect/);
  expect(words('refused', 'must have a host')).toBe('A link to this URL cannot be created: the URL must have a host.');
});
