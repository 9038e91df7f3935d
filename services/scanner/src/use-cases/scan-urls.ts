/** The engine: what is known about a URL, from the policy, the feeds and the rules. No network, no clock, no chance. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  checkDestinationUrl,
  mostSevere,
  type Reason,
  type ThreatType,
  type UrlPolicy,
  unavailable,
  type Verdict,
} from '@waypost/domain';
import type { ScanResult } from '@waypost/ports';
import { RULES } from '../rules/rules.ts';
import { subjectOf } from '../rules/subject.ts';
import type { ThreatDatabase } from '../threat-index/threat-database.ts';
import { canonicalUrl } from '../urls/canonical-url.ts';
import { type ExpressionKey, expressionKey } from '../urls/expression-key.ts';
import { deeperExpressionsOf, expressionsOf } from '../urls/expressions.ts';
import { nestedUrls } from '../urls/nested-urls.ts';

interface Deps {
  readonly policy: UrlPolicy;
  /** The generation in force; undefined while there is none. */
  readonly database: () => ThreatDatabase | undefined;
}

/** This many URLs are decided before other work of the process gets its turn. */
const SLICE = 50;

/** All of them by one generation. Throws `unavailable` without a threat database. */
export async function scanUrls(deps: Deps, urls: readonly string[]): Promise<ScanResult> {
  const database = deps.database();
  if (database === undefined) throw unavailable('The threat database is not loaded.');
  const known = new Map<string, Verdict>();
  const verdicts: Verdict[] = [];
  for (const [at, url] of urls.entries()) {
    if (at > 0 && at % SLICE === 0) await nextTurn();
    const verdict = known.get(url) ?? verdictOn(url, deps.policy, database);
    known.set(url, verdict);
    verdicts.push(verdict);
  }
  return { generation: database.generation, verdicts };
}

export function verdictOn(url: string, policy: UrlPolicy, { index }: ThreatDatabase): Verdict {
  const checked = checkDestinationUrl(url, policy);
  if (!checked.ok) {
    const reasons = [{ rule: 'url-policy', evidence: checked.problem }];
    return { url, outcome: 'refused', threat_type: null, reasons, expressions: [] };
  }
  const nested = nestedUrls(checked.href);
  const keys = expressionKeys([checked.href, ...nested]);
  const findings = new Findings();
  for (const [expression, { high, low }] of keys) {
    for (const { feed, threatType } of index.find(high, low) ?? []) {
      findings.add('flag', threatType, { rule: `feed:${feed}`, evidence: short(expression) });
    }
  }
  // An allowed host is one that the operator vouches for (an intranet, a test): local signs say nothing there.
  if (!checked.allowedHost) findings.addRules(checked.destinationUrl, checked.href);
  for (const href of nested) findings.addRules(href, href);
  return { url, ...findings.conclusion(), expressions: Array.from(keys.values(), ({ decimal }) => decimal) };
}

/** Beyond the expressions of the specification, a verdict hashes at most this many deeper ones. */
const DEEPER = 128;

function expressionKeys(hrefs: readonly string[]): Map<string, ExpressionKey> {
  const keys = new Map<string, ExpressionKey>();
  const urls = hrefs.map((href) => canonicalUrl(href)).filter((url) => url !== undefined);
  const add = (expression: string) => {
    if (!keys.has(expression)) keys.set(expression, expressionKey(expression));
  };
  for (const url of urls) expressionsOf(url).forEach(add);
  urls.flatMap(deeperExpressionsOf).slice(0, DEEPER).forEach(add);
  return keys;
}

const MOST_REASONS = 20;

class Findings {
  readonly #reasons = new Map<string, Reason>();
  readonly #flags = new Set<ThreatType>();
  readonly #warnings = new Set<ThreatType>();

  add(action: 'flag' | 'warn', threatType: ThreatType, reason: Reason): void {
    (action === 'flag' ? this.#flags : this.#warnings).add(threatType);
    const id = `${reason.rule} ${reason.evidence}`;
    if (this.#reasons.size >= MOST_REASONS || this.#reasons.has(id)) return;
    this.#reasons.set(id, action === 'flag' ? { ...reason, threat_type: threatType } : reason);
  }

  addRules(raw: string, href: string): void {
    const subject = subjectOf(raw, new URL(href));
    for (const { id, action, threatType, check } of RULES) {
      const evidence = check(subject);
      if (evidence !== undefined) this.add(action, threatType, { rule: id, evidence: short(evidence) });
    }
  }

  conclusion(): Pick<Verdict, 'outcome' | 'threat_type' | 'reasons'> {
    const reasons = [...this.#reasons.values()];
    if (this.#flags.size > 0) return { outcome: 'flagged', threat_type: mostSevere(this.#flags), reasons };
    if (this.#warnings.size > 0) return { outcome: 'warned', threat_type: mostSevere(this.#warnings), reasons };
    return { outcome: 'clean', threat_type: null, reasons };
  }
}

function short(evidence: string): string {
  return evidence.length <= 300 ? evidence : `${evidence.slice(0, 299)}…`;
}
