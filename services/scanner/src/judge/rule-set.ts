import { evidenceText } from '@waypost/domain';
import { LEXICAL_RULES } from './lexical/lexical-rule.ts';
import { ADDRESS_RULES } from './rules/address-rules.ts';
import { BRAND_RULES } from './rules/brand-rules.ts';
import { HOSTING_RULES } from './rules/hosting-rules.ts';
import type { Rule, RuleSign } from './rules/rule.ts';
import { SHAPE_RULES } from './rules/shape-rules.ts';
import type { Subject } from './rules/subject.ts';
import { EXPRESSIONS_VERSION } from './urls/expressions.ts';

export const RULES: readonly Rule[] = [
  ...ADDRESS_RULES,
  ...BRAND_RULES,
  ...SHAPE_RULES,
  ...HOSTING_RULES,
  ...LEXICAL_RULES,
];

export type RuleSet = ReturnType<typeof rulesWithout>;

export function rulesWithout(off: readonly string[]) {
  const rules = RULES.filter(({ id }) => !off.includes(id));
  return {
    /** Changes with each rule and with the expressions: existing links are then filed and scanned again. */
    version: [
      `expressions@${EXPRESSIONS_VERSION}`,
      ...rules.map(({ id, version, action, weight }) => `${id}@${version}:${action}:${weight}`),
    ].join(' '),
    signsOf(subject: Subject): readonly RuleSign[] {
      const signs: RuleSign[] = [];
      for (const rule of rules) {
        const sign = rule.check(subject);
        if (sign === undefined) continue;
        const { evidence, weight } = typeof sign === 'string' ? { evidence: sign, weight: rule.weight } : sign;
        signs.push({ rule, weight, evidence: evidenceText(evidence) });
      }
      return signs;
    },
  };
}

/** Throws if there is no rule with one of these ids. */
export function parseRuleIds(ids: readonly string[]): readonly string[] {
  const unknown = ids.find((id) => !RULES.some((rule) => rule.id === id));
  if (unknown !== undefined) throw new Error(`there is no rule ${JSON.stringify(unknown.slice(0, 80))}`);
  return ids;
}
