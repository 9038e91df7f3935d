/** Judges a URL by the policy, the feeds and the rules. No network, no clock, no randomness. */
import {
  checkDestinationUrl,
  evidenceText,
  mostSevere,
  type Reason,
  type ThreatType,
  type UrlPolicy,
  type Verdict,
} from '@waypost/domain';
import type { RuleSet } from './rule-set.ts';
import { FLAG_POINTS, LONE_WARN_POINTS, WARN_POINTS } from './rules/rule.ts';
import { type Subject, subjectOf } from './rules/subject.ts';
import { type CanonicalUrl, canonicalUrl } from './urls/canonical-url.ts';
import { expressionKey, keyHalves, signedDecimal } from './urls/expression-key.ts';
import { deeperExpressionsOf, expressionsOf, type HostNames, hostNamesOf } from './urls/expressions.ts';
import { nestedUrls } from './urls/nested-urls.ts';

export interface JudgeInput {
  readonly index: {
    find(high: number, low: number): readonly { readonly feed: string; readonly threatType: ThreatType }[] | undefined;
  };
  readonly rules: RuleSet;
  readonly policy: UrlPolicy;
}

export function judge(url: string, { index, rules, policy }: JudgeInput): Verdict {
  const check = checkDestinationUrl(url, policy);
  if (!check.ok) {
    const reasons = [{ rule: 'url-policy', evidence: check.problem }];
    return { url, outcome: 'refused', threat_type: null, reasons };
  }
  const { nested, expressions, isComplete } = expressionsToFind(check.url);
  const findings = new Findings();
  for (const expression of expressions) {
    for (const { feed, threatType } of index.find(...keyHalves(expression)) ?? []) {
      findings.add('flag', threatType, { rule: `feed:${feed}`, evidence: evidenceText(expression) });
    }
  }
  // The operator vouches for an allowed host (an intranet, a test), so local signs mean nothing there.
  if (!check.allowedHost) findings.addSigns(rules, subjectOf(check.destinationUrl, check.url));
  if (nested.isComplete && isComplete) {
    const judgeable = nested.urls.filter((href) => !nested.doubtful.has(href));
    for (const href of judgeable.slice(0, MOST_JUDGED)) {
      if (findings.isFlagged) break;
      findings.addSigns(rules, subjectOf(href, new URL(href)));
    }
  }
  if (!nested.isComplete) findings.add('flag', 'suspicious', TOO_MANY_URLS);
  else if (!isComplete) findings.add('flag', 'suspicious', TOO_MANY_PARTS);
  return { url, ...findings.conclusion() };
}

/** The keys that a scan of this URL looks up, to file a link under. Empty if the policy now refuses the URL. */
export function keysOf(url: string, policy: UrlPolicy): string[] {
  const check = checkDestinationUrl(url, policy);
  if (!check.ok) return [];
  const { expressions } = expressionsToFind(check.url);
  return Array.from(expressions, (expression) => signedDecimal(expressionKey(expression)));
}

/** Nested URLs that the rules judge. All are looked up, but rules are the most expensive part of a verdict. */
const MOST_JUDGED = 3;

/** A URL that was not scanned completely is never clean: otherwise a threat behind decoys would pass. */
const TOO_MANY_URLS: Reason = { rule: 'too-many-nested-urls', evidence: 'contains more URLs than can be scanned' };
const TOO_MANY_PARTS: Reason = {
  rule: 'too-many-parts',
  evidence: 'has more hosts and directories than can be scanned',
};

interface Budget {
  readonly expressions: number;
  /** The characters of all expressions, duplicates included. */
  readonly characters: number;
}

/** Enough for honest URLs: of 50,000 that people share, none needs more than 52 expressions of 6,504 characters. */
const BUDGET: Budget = { expressions: 256, characters: 36_000 };
/** For a URL that is already suspicious, this is enough to find the listed address that it leads to. */
const BUDGET_OF_SUSPICIOUS: Budget = { expressions: 24, characters: 5_000 };

function expressionsToFind(url: URL) {
  const nested = nestedUrls(url);
  const budget = nested.isComplete ? BUDGET : BUDGET_OF_SUSPICIOUS;
  const { written, isComplete } = expressionsWithin(budget.characters, [url.href, ...nested.urls]);
  const expressions = isComplete ? new Set(written) : undefined;
  if (expressions !== undefined && expressions.size <= budget.expressions)
    return { nested, isComplete: true, expressions };
  return { nested, isComplete: false, expressions: firstOf(written, BUDGET_OF_SUSPICIOUS) };
}

/** With duplicates: a comparison reads each character, which is most of the work for a URL over its budget. */
function expressionsWithin(most: number, hrefs: readonly string[]) {
  const written: string[] = [];
  let characters = 0;
  for (const expression of expressionsIn(hrefs)) {
    characters += expression.length;
    if (characters > most) return { written, isComplete: false };
    written.push(expression);
  }
  return { written, isComplete: true };
}

/** Yields the expressions of the specification first, because deeper ones are less likely to be listed. */
function* expressionsIn(hrefs: readonly string[]): Generator<string> {
  const urls: (readonly [CanonicalUrl, HostNames])[] = [];
  for (const href of hrefs) {
    const url = canonicalUrl(href);
    if (url === undefined) continue;
    const names = hostNamesOf(url.host);
    urls.push([url, names]);
    yield* expressionsOf(url, names);
  }
  for (const url of urls) yield* deeperExpressionsOf(...url);
}

/** Hashing is most of the cost, so a suspicious URL is hashed only up to its budget. */
function firstOf(expressions: readonly string[], budget: Budget): Set<string> {
  const first = new Set<string>();
  let characters = 0;
  for (const expression of expressions) {
    if (first.has(expression)) continue;
    characters += expression.length;
    if (characters > budget.characters || first.size === budget.expressions) break;
    first.add(expression);
  }
  return first;
}

export function judgeByRules(rules: RuleSet, subject: Subject): Pick<Verdict, 'outcome' | 'threat_type' | 'reasons'> {
  const findings = new Findings();
  findings.addSigns(rules, subject);
  return findings.conclusion();
}

/** Whether it is the home page of a registered name. Its signs read the same letters, so they do not add up. */
function isBareName({ host, domain, labels, isFreeHosting, url }: Subject): boolean {
  const hasPage = url.pathname.length > 1 || url.search !== '' || url.hash !== '';
  return labels.length > 0 && !isFreeHosting && !hasPage && (host === domain || host === `www.${domain}`);
}

const MOST_REASONS = 20;

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

  /** The signs of several URLs do not add up. */
  addSigns(rules: RuleSet, subject: Subject): void {
    const signs = rules.signsOf(subject);
    const weights = signs.map(({ weight }) => weight);
    const points = weights.reduce((sum, weight) => sum + weight, 0);
    const flags = (isBareName(subject) ? Math.max(0, ...weights) : points) >= FLAG_POINTS;
    const leastToWarn = signs.length > 1 ? WARN_POINTS : LONE_WARN_POINTS;
    for (const { rule, evidence } of signs) {
      const action = rule.action === 'weigh' && points >= leastToWarn ? 'warn' : rule.action;
      if (action !== 'weigh') this.add(action, rule.threatType, { rule: rule.id, evidence });
    }
    if (!flags || signs.some(({ rule }) => rule.action === 'flag')) return;
    const names = signs.map(({ rule }) => rule.id).join(', ');
    const threatType = mostSevere(signs.map(({ rule }) => rule.threatType))!;
    const evidence = evidenceText(`${subject.url.host} shows several signs: ${names}`);
    this.add('flag', threatType, { rule: 'signs-together', evidence });
  }

  conclusion(): Pick<Verdict, 'outcome' | 'threat_type' | 'reasons'> {
    const reasons = [...this.#reasons.values()];
    if (this.isFlagged) return { outcome: 'flagged', threat_type: mostSevere(this.#flags), reasons };
    if (this.#warnings.size > 0) return { outcome: 'warned', threat_type: mostSevere(this.#warnings), reasons };
    return { outcome: 'clean', threat_type: null, reasons };
  }
}
