import { ADDRESS_RULES } from './address-rules.ts';
import { BRAND_RULES } from './brand-rules.ts';
import type { Rule } from './rule.ts';
import { SHAPE_RULES } from './shape-rules.ts';

export const RULES: readonly Rule[] = [...ADDRESS_RULES, ...BRAND_RULES, ...SHAPE_RULES];

/** Changes with every rule and every version of one; existing links are then scanned again. */
export const RULES_VERSION = RULES.map(({ id, version, action }) => `${id}@${version}:${action}`).join(' ');
