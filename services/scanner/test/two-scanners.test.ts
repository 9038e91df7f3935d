/** Tests that two scanners in one process keep their policies and their rules apart. */
import { expect, test } from '@jest/globals';
import { parseAllowed } from '@waypost/domain';
import { judge } from '../src/judge/judge.ts';
import { rulesWithout } from '../src/judge/rule-set.ts';
import { threatIndex } from '../src/threats/threat-index.ts';
import { POLICY } from './scanner-kit.ts';

const index = threatIndex([]);
const IMITATION = 'https://paypal.com.secure-login.example.net/signin';
const INTRANET = 'http://10.1.2.3/';

test('two scanners in one process each judge by their own policy and rules', () => {
  const strict = { index, rules: rulesWithout([]), policy: POLICY };
  const rule = judge(IMITATION, strict).reasons[0]!.rule;
  const lenient = {
    index,
    rules: rulesWithout(judge(IMITATION, strict).reasons.map((reason) => reason.rule)),
    policy: { ...POLICY, allowed: parseAllowed(['10.0.0.0/8']) },
  };
  for (let round = 0; round < 2; round++) {
    expect(judge(IMITATION, strict).reasons).toContainEqual(expect.objectContaining({ rule }));
    expect(judge(IMITATION, lenient).reasons).not.toContainEqual(expect.objectContaining({ rule }));
    expect([judge(INTRANET, strict).outcome, judge(INTRANET, lenient).outcome]).toEqual(['refused', 'clean']);
  }
});
