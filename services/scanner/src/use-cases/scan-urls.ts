/** The engine: what is known about a URL, from the policy, the feeds and the rules. No network, no clock, no chance. */
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
import { type ExpressionKey, expressionKey, signedDecimal } from '../urls/expression-key.ts';
import { deeperExpressionsOf, expressionsOf } from '../urls/expressions.ts';
import { nestedUrls } from '../urls/nested-urls.ts';
import { turns } from './turns.ts';

interface Deps {
  readonly policy: UrlPolicy;
  /** The generation in force; undefined while there is none. */
  readonly database: () => ThreatDatabase | undefined;
}

/** All of them by one generation. Throws `unavailable` without a threat database. */
export async function scanUrls(deps: Deps, urls: readonly string[]): Promise<ScanResult> {
  const database = deps.database();
  if (database === undefined) throw unavailable('The threat database is not loaded.');
  const known = new Map<string, Verdict>();
  const verdicts: Verdict[] = [];
  const turn = turns();
  for (const url of urls) {
    await turn();
    const verdict = known.get(url) ?? shown(verdictOn(url, deps.policy, database));
    known.set(url, verdict);
    verdicts.push(verdict);
  }
  return { generation: database.generation, verdicts };
}

/** What a caller reads of a verdict: what a reason alone would flag is for link-api's reviews, by `threat.found`. */
function shown(verdict: Verdict): Verdict {
  return { ...verdict, reasons: verdict.reasons.map(({ rule, evidence }) => ({ rule, evidence })) };
}

export function verdictOn(url: string, policy: UrlPolicy, { index }: ThreatDatabase): Verdict {
  const checked = checkDestinationUrl(url, policy);
  if (!checked.ok) {
    const reasons = [{ rule: 'url-policy', evidence: checked.problem }];
    return { url, outcome: 'refused', threat_type: null, reasons };
  }
  const { nested, expressions, isComplete } = lookedUp(checked.href);
  const findings = new Findings();
  const keys: ExpressionKey[] = [];
  for (const expression of expressions) {
    const key = expressionKey(expression);
    keys.push(key);
    for (const { feed, threatType } of index.find(key.high, key.low) ?? []) {
      findings.add('flag', threatType, { rule: `feed:${feed}`, evidence: short(expression) });
    }
  }
  if (lastScanned.size >= LAST_SCANNED) lastScanned.clear();
  lastScanned.set(checked.href, keys);
  // An allowed host is one that the operator vouches for (an intranet, a test): local signs say nothing there.
  if (!checked.allowedHost) findings.addRules(checked.destinationUrl, checked.href);
  if (nested.isComplete && isComplete) for (const href of nested.urls) findings.addRules(href, href);
  if (!nested.isComplete) findings.add('flag', 'suspicious', TOO_MANY_URLS);
  else if (!isComplete) findings.add('flag', 'suspicious', TOO_MANY_PARTS);
  return { url, ...findings.conclusion() };
}

/** The keys of URLs that were scanned last, until they are asked for: a link's event follows its scan. */
const lastScanned = new Map<string, readonly ExpressionKey[]>();
const LAST_SCANNED = 2_000;

/** Under what a link to this URL is filed: the keys that its verdict looks up. None if the policy refuses it by now. */
export function keysOf(url: string, policy: UrlPolicy): string[] {
  const checked = checkDestinationUrl(url, policy);
  if (!checked.ok) return [];
  const keys = lastScanned.get(checked.href) ?? Array.from(lookedUp(checked.href).expressions, expressionKey);
  lastScanned.delete(checked.href);
  return keys.map(({ high, low }) => signedDecimal(high, low));
}

/** A URL of which a part went unseen is no clean one: what hides behind decoys would pass otherwise. */
const TOO_MANY_URLS: Reason = { rule: 'too-many-nested-urls', evidence: 'holds more addresses than can be looked at' };
const TOO_MANY_PARTS: Reason = {
  rule: 'too-many-parts',
  evidence: 'has more hosts and directories than can be looked at',
};

interface Budget {
  readonly expressions: number;
  /** Of all expressions that are looked at, also of those that stand twice. */
  readonly characters: number;
}

/** What an honest URL takes. Of 50,000 URLs as people share them, the richest takes 52 expressions of 6,504 characters. */
const BUDGET: Budget = { expressions: 256, characters: 36_000 };
/** Of a URL that is suspicious already: enough to say what it leads to, if that is listed. */
const BUDGET_OF_SUSPICIOUS: Budget = { expressions: 64, characters: 12_000 };

interface Expressions {
  readonly expressions: ReadonlySet<string>;
  readonly isComplete: boolean;
}

/** The expressions of a URL and of those in it, within the budget. */
function lookedUp(href: string) {
  const nested = nestedUrls(href);
  const budget = nested.isComplete ? BUDGET : BUDGET_OF_SUSPICIOUS;
  const { expressions, isComplete } = expressionsWithin(budget, [href, ...nested.urls]);
  return { nested, isComplete, expressions: isComplete ? expressions : firstOf(expressions, BUDGET_OF_SUSPICIOUS) };
}

/** Those of the specification first, for all URLs: what goes over the budget is the less likely part. */
function expressionsWithin(budget: Budget, hrefs: readonly string[]): Expressions {
  const expressions = new Set<string>();
  let characters = 0;
  const urls = hrefs.map((href) => canonicalUrl(href)).filter((url) => url !== undefined);
  for (const expressionsIn of [expressionsOf, deeperExpressionsOf]) {
    for (const url of urls) {
      for (const expression of expressionsIn(url)) {
        characters += expression.length;
        if (expressions.size >= budget.expressions || characters > budget.characters) {
          return { expressions, isComplete: false };
        }
        expressions.add(expression);
      }
    }
  }
  return { expressions, isComplete: true };
}

/** Hashing is most of the cost, so a URL that turns out to be suspicious is hashed no further than its budget. */
function firstOf(expressions: ReadonlySet<string>, budget: Budget): string[] {
  let characters = 0;
  return [...expressions].slice(0, budget.expressions).filter((expression) => {
    characters += expression.length;
    return characters <= budget.characters;
  });
}

const MOST_REASONS = 20;

class Findings {
  readonly #reasons = new Map<string, Reason>();
  readonly #flags = new Set<ThreatType>();
  readonly #warnings = new Set<ThreatType>();
  readonly #hosts = new Set<string>();

  add(action: 'flag' | 'warn', threatType: ThreatType, reason: Reason): void {
    (action === 'flag' ? this.#flags : this.#warnings).add(threatType);
    const id = `${reason.rule} ${reason.evidence}`;
    if (this.#reasons.size >= MOST_REASONS || this.#reasons.has(id)) return;
    this.#reasons.set(id, action === 'flag' ? { ...reason, threat_type: threatType } : reason);
  }

  addRules(raw: string, href: string): void {
    const subject = subjectOf(raw, new URL(href));
    const { host } = subject.url;
    const isNewHost = !this.#hosts.has(host);
    this.#hosts.add(host);
    for (const { id, action, threatType, readsPath, check } of RULES) {
      if (!isNewHost && readsPath !== true) continue;
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
