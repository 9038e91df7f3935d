/**
 * Google Web Risk and Safe Browsing see the first 4 bytes of the hashes of a URL's expressions, which many URLs share,
 * and answer with whole hashes.
 */
import { hash } from 'node:crypto';
import type { ThreatType } from '@waypost/domain';
import { LRUCache } from 'lru-cache';
import { canonicalUrl } from '../../judge/urls/canonical-url.ts';
import { expressionsOf } from '../../judge/urls/expressions.ts';
import { nestedUrls } from '../../judge/urls/nested-urls.ts';
import { type Calls, isObject, ProviderUnavailable } from './call.ts';
import type { ProviderFinding, ThreatProvider } from './provider.ts';

/** The answer for a prefix, with whole hashes in base64. */
interface Answer {
  readonly threats: ReadonlyMap<string, ThreatType>;
  readonly untilMs: number;
}

interface Protocol {
  readonly name: string;
  readonly prefixesAtOnce: number;
  readonly request: (prefixes: readonly string[]) => { readonly path: string };
  /** Throws `ProviderUnavailable` for another kind of body. */
  readonly read: (body: Readonly<Record<string, unknown>>, nowMs: number) => Answer;
}

interface Deps {
  readonly calls: Calls;
  readonly key: string;
  readonly now: () => Date;
}

const MOST_EXPRESSIONS = 30;
const REMEMBERED = 20_000;
/** Google's terms allow no longer use of an answer. */
const LONGEST_MS = 24 * 3_600_000;
const SHORTEST_MS = 60_000;
const PREFIX_BYTES = 4;

const THREATS: Readonly<Record<string, ThreatType>> = {
  MALWARE: 'malware',
  SOCIAL_ENGINEERING: 'phishing',
  UNWANTED_SOFTWARE: 'unwanted_software',
  POTENTIALLY_HARMFUL_APPLICATION: 'harmful_application',
};

/** https://cloud.google.com/web-risk/docs/reference/rest/v1/hashes/search */
const WEB_RISK: Protocol = {
  name: 'google-web-risk',
  prefixesAtOnce: 1,
  request: ([prefix = '']) => {
    const types = ['MALWARE', 'SOCIAL_ENGINEERING', 'UNWANTED_SOFTWARE'].map((type) => `&threatTypes=${type}`).join('');
    return { path: `/v1/hashes:search?hashPrefix=${webSafe(prefix)}${types}` };
  },
  read({ threats = [], negativeExpireTime }, nowMs) {
    const hashes = listOf(threats).map(({ hash: whole, threatTypes, expireTime }) => ({
      whole: textOf(whole),
      type: typeOf(Array.isArray(threatTypes) ? threatTypes : []),
      untilMs: Date.parse(String(expireTime)),
    }));
    const until =
      hashes.length > 0 ? Math.min(...hashes.map(({ untilMs }) => untilMs)) : Date.parse(String(negativeExpireTime));
    return { threats: threatsByHash(hashes), untilMs: bounded(until - nowMs, nowMs) };
  },
};

/** https://developers.google.com/safe-browsing/reference/rest/v5/hashes/search: for non-commercial use. */
const SAFE_BROWSING: Protocol = {
  name: 'google-safe-browsing',
  prefixesAtOnce: 500,
  request: (prefixes) => ({
    path: `/v5/hashes:search?${prefixes.map((prefix) => `hashPrefixes=${webSafe(prefix)}`).join('&')}`,
  }),
  read({ fullHashes = [], cacheDuration }, nowMs) {
    const hashes = listOf(fullHashes).map(({ fullHash, fullHashDetails = [] }) => ({
      whole: textOf(fullHash),
      // Entries with an attribute are tests or apply only to frames, so they are ignored.
      type: typeOf(
        listOf(fullHashDetails).flatMap(({ threatType, attributes = [] }) =>
          Array.isArray(attributes) && attributes.length === 0 ? [threatType] : [],
        ),
      ),
    }));
    return {
      threats: threatsByHash(hashes),
      untilMs: bounded(1_000 * Number.parseFloat(String(cacheDuration)), nowMs),
    };
  },
};

export const googleWebRisk = (deps: Deps): ThreatProvider => byHashPrefix(WEB_RISK, deps);
export const googleSafeBrowsing = (deps: Deps): ThreatProvider => byHashPrefix(SAFE_BROWSING, deps);

function byHashPrefix({ name, prefixesAtOnce, request, read }: Protocol, { calls, key, now }: Deps): ThreatProvider {
  const answers = new LRUCache<string, Answer>({ max: REMEMBERED });

  const answerFor = (prefix: string) => {
    const answer = answers.get(prefix);
    return answer !== undefined && answer.untilMs > now().getTime() ? answer : undefined;
  };

  async function search(prefixes: readonly string[], signal: AbortSignal): Promise<void> {
    const headers = { 'X-Goog-Api-Key': key };
    const answer = await calls.call({ ...request(prefixes), headers }, (body) => read(body, now().getTime()), signal);
    for (const prefix of prefixes) answers.set(prefix, answer);
  }

  return {
    name,
    status: calls.status,
    async lookUp(urls, signal) {
      const hashed = urls.map((url) => ({ url, expressions: expressionsIn(url) }));
      const all = hashed.flatMap(({ expressions }) => expressions.map(({ prefix }) => prefix));
      const unanswered = [...new Set(all)].filter((prefix) => !answerFor(prefix));
      for (let at = 0; at < unanswered.length; at += prefixesAtOnce) {
        try {
          await search(unanswered.slice(at, at + prefixesAtOnce), signal);
        } catch (error) {
          if (!(error instanceof ProviderUnavailable)) throw error;
          break;
        }
      }
      const results = new Map<string, ProviderFinding | null>();
      for (const { url, expressions } of hashed) {
        const lookUps = expressions.map((each) => ({ ...each, answer: answerFor(each.prefix) }));
        const hit = lookUps.find(({ whole, answer }) => answer?.threats.has(whole));
        if (hit !== undefined)
          results.set(url, { evidence: hit.expression, threatType: hit.answer!.threats.get(hit.whole)! });
        else if (lookUps.every(({ answer }) => answer !== undefined)) results.set(url, null);
      }
      return results;
    },
  };
}

/** The specified expressions of a URL and of the URLs in it, with their hashes in base64. */
function expressionsIn(href: string) {
  const urls = [href, ...nestedUrls(new URL(href)).urls]
    .map((url) => canonicalUrl(url))
    .filter((url) => url !== undefined);
  const expressions = new Set(urls.flatMap((url) => expressionsOf(url)));
  return [...expressions].slice(0, MOST_EXPRESSIONS).map((expression) => {
    const bytes = hash('sha256', expression, 'buffer');
    return {
      expression,
      whole: bytes.toString('base64'),
      prefix: bytes.subarray(0, PREFIX_BYTES).toString('base64'),
    };
  });
}

function listOf(value: unknown): Readonly<Record<string, unknown>>[] {
  if (!Array.isArray(value) || !value.every(isObject)) throw new ProviderUnavailable('returned an unexpected format');
  return value;
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new ProviderUnavailable('returned an unexpected format');
  return value;
}

function typeOf(types: readonly unknown[]): ThreatType | undefined {
  return types.flatMap((type) => THREATS[String(type)] ?? [])[0];
}

/** Omits unknown types, as the specification requires. */
function threatsByHash(hashes: readonly { readonly whole: string; readonly type: ThreatType | undefined }[]) {
  return new Map(hashes.flatMap(({ whole, type }) => (type === undefined ? [] : [[whole, type] as const])));
}

function bounded(ms: number, nowMs: number): number {
  return nowMs + (Number.isFinite(ms) ? Math.min(Math.max(ms, 0), LONGEST_MS) : SHORTEST_MS);
}

function webSafe(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_');
}
