import { type Rule, rule } from '../rules/rule.ts';
import { loadLexicalModel } from './lexical-model.ts';

const model = loadLexicalModel();
const POINTS_PER_POWER = 25;
/** Below this rarity, too many harmless addresses have such a score. */
const LEAST_RARITY = 1.5;
/** The model sees only text, so its points alone warn, but must not flag a URL. */
const MOST_POINTS = 80;

export const LEXICAL_RULES: readonly Rule[] = [
  rule('lexical-model', 'weigh', POINTS_PER_POWER, { threatType: 'suspicious', version: 3 }, (subject) => {
    // The model has learned few names of other scripts, and only in their encoding.
    if (subject.isRanked || subject.isIp || subject.host.includes('xn--')) return undefined;
    const rarity = model.rarity(subject);
    if (rarity < LEAST_RARITY) return undefined;
    const weight = Math.min(MOST_POINTS, Math.round(POINTS_PER_POWER * rarity));
    return { evidence: `${subject.host} resembles the hosts of phishing pages`, weight };
  }),
];
