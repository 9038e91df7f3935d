/** The engine: judges URLs by the policy, the feeds and the rules. No network, no clock, no randomness. */
import {
  checkDestinationUrl,
  evidenceText,
  mostSevere,
  type Reason,
  type ThreatType,
  type UrlPolicy,
  unavailable,
  type Verdict,
} from '@waypost/domain';
import type { ScanResult } from '@waypost/ports';
import { FLAG_POINTS, type Rule, type Sign, WARN_POINTS } from '../rules/rule.ts';
import type { RuleSet } from '../rules/rules.ts';
import { type Subject, subjectOf } from '../rules/subject.ts';
import type { ThreatDatabase } from '../threat-index/threat-index.ts';
import { type CanonicalUrl, canonicalUrl } from '../urls/canonical-url.ts';
import { expressionKey, signedDecimal } from '../urls/expression-key.ts';
import { deeperExpressionsOf, expressionsOf } from '../urls/expressions.ts';
import { HOSTS } from '../urls/hosts.ts';
import { nestedUrls } from '../urls/nested-urls.ts';
import { turns } from './turns.ts';

interface Deps {
  readonly policy: UrlPolicy;
  /** The current generation; undefined while there is none. */
  readonly database: () => ThreatDatabase | undefined;
}

/** Scans all of them with one generation. Throws `unavailable` without a threat database. */
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

/** The public part of a verdict. Which reasons would flag alone is for link-api's reviews, in `threat.found`. */
function shown(verdict: Verdict): Verdict {
  return { ...verdict, reasons: verdict.reasons.map(({ rule, evidence }) => ({ rule, evidence })) };
}

export function verdictOn(url: string, policy: UrlPolicy, { index, rules }: ThreatDatabase): Verdict {
  const checked = checkDestinationUrl(url, policy);
  if (!checked.ok) {
    const reasons = [{ rule: 'url-policy', evidence: checked.problem }];
    return { url, outcome: 'refused', threat_type: null, reasons };
  }
  const { nested, expressions, isComplete } = lookedUp(checked.url);
  const findings = new Findings();
  for (const expression of expressions) {
    for (const { feed, threatType } of index.find(expressionKey(expression)) ?? []) {
      findings.add('flag', threatType, { rule: `feed:${feed}`, evidence: evidenceText(expression) });
    }
  }
  // The operator vouches for an allowed host (an intranet, a test), so local signs mean nothing there.
  if (!checked.allowedHost) findings.addRules(rules, checked.destinationUrl, checked.url);
  if (nested.isComplete && isComplete) {
    const judgeable = nested.urls.filter((href) => !nested.doubtful.has(href));
    for (const href of judgeable.slice(0, MOST_JUDGED)) {
      if (findings.isFlagged) break;
      findings.addRules(rules, href, new URL(href));
    }
  }
  if (!nested.isComplete) findings.add('flag', 'suspicious', TOO_MANY_URLS);
  else if (!isComplete) findings.add('flag', 'suspicious', TOO_MANY_PARTS);
  return { url, ...findings.conclusion() };
}

/** The keys to file a link to this URL under: those that its scan looks up. Empty if the policy now refuses the URL. */
export function keysOf(url: string, policy: UrlPolicy): string[] {
  const checked = checkDestinationUrl(url, policy);
  if (!checked.ok) return [];
  return Array.from(lookedUp(checked.url).expressions, (expression) => signedDecimal(expressionKey(expression)));
}

/**
 * The nested URLs whose looks are judged, until one is flagged. All are looked up, but signs are the dearest part of a
 * verdict.
 */
const MOST_JUDGED = 3;

/** A URL that was not scanned completely is never clean: otherwise a threat behind decoys would pass. */
const TOO_MANY_URLS: Reason = { rule: 'too-many-nested-urls', evidence: 'holds more addresses than can be looked at' };
const TOO_MANY_PARTS: Reason = {
  rule: 'too-many-parts',
  evidence: 'has more hosts and directories than can be looked at',
};

interface Budget {
  readonly expressions: number;
  /** Of all expressions looked at, duplicates included. */
  readonly characters: number;
}

/** Enough for honest URLs: of 50,000 that people share, the richest needs 52 expressions of 6,504 characters. */
const BUDGET: Budget = { expressions: 256, characters: 36_000 };
/** For a URL that is already suspicious: enough to name the listed address that it leads to. */
const BUDGET_OF_SUSPICIOUS: Budget = { expressions: 24, characters: 5_000 };

interface Expressions {
  readonly expressions: ReadonlySet<string>;
  readonly isComplete: boolean;
}

/** The expressions of a URL and of the URLs in it, within the budget. */
function lookedUp(url: URL) {
  const nested = nestedUrls(url);
  const budget = nested.isComplete ? BUDGET : BUDGET_OF_SUSPICIOUS;
  const { expressions, isComplete } = expressionsWithin(budget, [url.href, ...nested.urls]);
  return { nested, isComplete, expressions: isComplete ? expressions : firstOf(expressions, BUDGET_OF_SUSPICIOUS) };
}

/** Those of the specification first, for all URLs: what exceeds the budget is less likely to be listed. */
function expressionsWithin(budget: Budget, hrefs: readonly string[]): Expressions {
  const all: string[] = [];
  let characters = 0;
  for (const expression of expressionsIn(hrefs)) {
    characters += expression.length;
    if (characters > budget.characters) break;
    all.push(expression);
  }
  // Only now: a set reads each character, and of what exceeds its budget only the first expressions are looked up.
  const isShort = characters <= budget.characters;
  const most = isShort ? budget.expressions : Math.min(budget.expressions, BUDGET_OF_SUSPICIOUS.expressions);
  const expressions = new Set<string>();
  for (const expression of all) {
    if (expressions.size >= most) return { expressions, isComplete: false };
    expressions.add(expression);
  }
  return { expressions, isComplete: isShort };
}

function* expressionsIn(hrefs: readonly string[]): Generator<string> {
  const urls: CanonicalUrl[] = [];
  for (const href of hrefs) {
    const url = canonicalUrl(href);
    if (url === undefined) continue;
    urls.push(url);
    yield* expressionsOf(url);
  }
  for (const url of urls) yield* deeperExpressionsOf(url);
}

/** Hashing is most of the cost, so a suspicious URL is hashed only up to its budget. */
function firstOf(expressions: ReadonlySet<string>, budget: Budget): string[] {
  let characters = 0;
  return [...expressions].slice(0, budget.expressions).filter((expression) => {
    characters += expression.length;
    return characters <= budget.characters;
  });
}

/** What the rules alone say of a URL. */
export function judged(rules: RuleSet, subject: Subject): Pick<Verdict, 'outcome' | 'threat_type' | 'reasons'> {
  const findings = new Findings();
  findings.addSigns(rules, subject);
  return findings.conclusion();
}

/** The home page of a registered name: all its signs read the same few letters, so together they prove no more than one. */
function isBareName({ host, domain, labels, isFreeHosting, url }: Subject): boolean {
  const hasPage = url.pathname.length > 1 || url.search !== '' || url.hash !== '';
  return labels.length > 0 && !isFreeHosting && !hasPage && (host === domain || host === `www.${domain}`);
}

const MOST_REASONS = 20;

/** A sign on a host or a page, and the rule that found it. */
type Found = Sign & { readonly rule: Rule };

class Findings {
  readonly #reasons = new Map<string, Reason>();
  readonly #flags = new Set<ThreatType>();
  readonly #warnings = new Set<ThreatType>();

  get isFlagged(): boolean {
    return this.#flags.size > 0;
  }

  add(action: 'flag' | 'warn', threatType: ThreatType, reason: Reason): void {
    (action === 'flag' ? this.#flags : this.#warnings).add(threatType);
    const id = `${reason.rule} ${reason.evidence}`;
    if (this.#reasons.size >= MOST_REASONS || this.#reasons.has(id)) return;
    this.#reasons.set(id, action === 'flag' ? { ...reason, threat_type: threatType } : reason);
  }

  /** Each URL is judged by its own signs: those of several URLs do not add up. */
  addRules(rules: RuleSet, raw: string, url: URL): void {
    this.addSigns(rules, subjectOf(raw, url));
  }

  addSigns(rules: RuleSet, subject: Subject): void {
    const signs = [...signsOfHost(rules, subject), ...found(rules.ofPage, subject)];
    const weights = signs.map(({ weight }) => weight);
    const points = weights.reduce((sum, weight) => sum + weight, 0);
    const flags = (isBareName(subject) ? Math.max(0, ...weights) : points) >= FLAG_POINTS;
    for (const { rule, evidence } of signs) {
      const action = rule.action === 'weigh' && points >= WARN_POINTS && signs.length > 1 ? 'warn' : rule.action;
      if (action !== 'weigh') this.add(action, rule.threatType, { rule: rule.id, evidence });
    }
    if (!flags || signs.some(({ rule }) => rule.action === 'flag')) return;
    const names = signs.map(({ rule }) => rule.id).join(', ');
    const threatType = mostSevere(signs.map(({ rule }) => rule.threatType))!;
    const evidence = evidenceText(`${subject.url.host} by several signs: ${names}`);
    this.add('flag', threatType, { rule: 'signs-together', evidence });
  }

  conclusion(): Pick<Verdict, 'outcome' | 'threat_type' | 'reasons'> {
    const reasons = [...this.#reasons.values()];
    if (this.isFlagged) return { outcome: 'flagged', threat_type: mostSevere(this.#flags), reasons };
    if (this.#warnings.size > 0) return { outcome: 'warned', threat_type: mostSevere(this.#warnings), reasons };
    return { outcome: 'clean', threat_type: null, reasons };
  }
}

const knownHosts = new WeakMap<RuleSet, Map<string, readonly Found[]>>();

/** The signs of a name are the same for all URLs on it; an IP address may be written in many ways. */
function signsOfHost(rules: RuleSet, subject: Subject): readonly Found[] {
  if (subject.labels.length === 0) return found(rules.ofHost, subject);
  const known = knownHosts.get(rules) ?? new Map<string, readonly Found[]>();
  knownHosts.set(rules, known);
  const { host } = subject.url;
  const remembered = known.get(host);
  if (remembered !== undefined) return remembered;
  const signs = found(rules.ofHost, subject);
  if (known.size >= HOSTS) known.clear();
  known.set(host, signs);
  return signs;
}

function found(rules: readonly Rule[], subject: Subject): Found[] {
  return rules.flatMap((rule) => {
    const sign = rule.check(subject);
    if (sign === undefined) return [];
    const { evidence, weight } = typeof sign === 'string' ? { evidence: sign, weight: rule.weight } : sign;
    return { rule, weight, evidence: evidenceText(evidence) };
  });
}
