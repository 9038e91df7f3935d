import { PAGE_RULES } from '../deep/page-rules.ts';
import { LEXICAL_RULES } from '../lexical/lexical-rule.ts';
import { EXPRESSIONS_VERSION } from '../urls/expressions.ts';
import { ADDRESS_RULES } from './address-rules.ts';
import { BRAND_RULES } from './brand-rules.ts';
import { HOSTING_RULES } from './hosting-rules.ts';
import type { Rule } from './rule.ts';
import { SHAPE_RULES } from './shape-rules.ts';

export const RULES: readonly Rule[] = [
  ...ADDRESS_RULES,
  ...BRAND_RULES,
  ...SHAPE_RULES,
  ...HOSTING_RULES,
  ...LEXICAL_RULES,
];

/** The rules in force, as a scan needs them. */
export interface RuleSet {
  /**
   * Changes with every rule, every version of one, and the expressions; existing links are then filed and scanned again.
   */
  readonly version: string;
  readonly ofHost: readonly Rule[];
  /** Those that read the path too. */
  readonly ofPage: readonly Rule[];
}

/** All rules but those that the operator switched off, by id. */
export function rulesWithout(off: readonly string[]): RuleSet {
  const rules = RULES.filter(({ id }) => !off.includes(id));
  return {
    version: [
      `expressions@${EXPRESSIONS_VERSION}`,
      ...rules.map(({ id, version, action, weight }) => `${id}@${version}:${action}:${weight}`),
    ].join(' '),
    ofHost: rules.filter(({ readsPath }) => readsPath !== true),
    ofPage: rules.filter(({ readsPath }) => readsPath === true),
  };
}

/** Reads ids of rules to switch off. Throws if there is no rule of that name. */
export function parseRuleIds(ids: readonly string[]): readonly string[] {
  const unknown = ids.find((id) => ![...RULES, ...PAGE_RULES].some((rule) => rule.id === id));
  if (unknown !== undefined) throw new Error(`there is no rule ${JSON.stringify(unknown.slice(0, 80))}`);
  return ids;
}
