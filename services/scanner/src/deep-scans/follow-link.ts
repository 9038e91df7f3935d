/**
 * Follows a link's redirects and judges every address on the way as at creation. It requests only shorteners and
 * addresses with a warning: a request may have effects elsewhere (docs/scanner.md, Deep scan).
 */
import { evidenceText, mostSevere, type Reason, type ThreatType, type Verdict } from '@waypost/domain';
import type { PageInspector } from '@waypost/ports';
import { judgePage } from '../judge/rules/page-rules.ts';
import { registrableDomain } from '../judge/urls/hosts.ts';

interface FollowDeps {
  readonly inspector: Pick<PageInspector, 'inspect'>;
  readonly judge: (url: string) => Verdict;
  readonly isOwn: (url: string) => boolean;
  /** Runs `work` when no other request of this process goes to the site. */
  readonly onePerSite: <T>(site: string, work: () => Promise<T>) => Promise<T>;
  /** Whether to judge the page at the end. */
  readonly pages: boolean;
  readonly rulesOff: readonly string[];
}

const MOST_REQUESTS = 5;
/** The time limit of a chain, without the waits for busy sites. */
const TOTAL_MS = 10_000;

export interface Followed {
  /** Null if nothing is suspicious. */
  readonly threatType: ThreatType | null;
  readonly flags: boolean;
  readonly reasons: readonly Reason[];
  readonly ends: boolean;
}

/** A later attempt may succeed. The message contains nothing that a server sent. */
export class NotFollowed extends Error {
  override readonly name = 'NotFollowed';
}

/** The registrable domain, or an IP address. */
export function siteOf(url: string): string {
  const host = URL.parse(url)?.hostname ?? '';
  return registrableDomain(host) ?? host;
}

/** Throws `NotFollowed` if an address does not answer, and what the inspector throws. */
export async function followLink(deps: FollowDeps, url: string): Promise<Followed> {
  const { inspector, judge } = deps;
  const chain: string[] = [];
  let remainingMs = TOTAL_MS;
  const warning = (rule: string, evidence: string): Followed => ({
    threatType: 'suspicious',
    flags: false,
    reasons: [{ rule, evidence: evidenceText(evidence) }, chainReason(chain)],
    ends: false,
  });
  for (let next = url; ; ) {
    const verdict = judge(next);
    chain.push(next);
    if (chain.length > 1 && deps.isOwn(next)) return loop(chain, 'leads back to this service');
    if (verdict.outcome === 'refused')
      return warning('redirect-refused', `leads to a URL that ${verdict.reasons[0]?.evidence ?? 'is not allowed'}`);
    // Re-scans flag links by their own address. A review may have cleared this one, and its end is still not known.
    if (verdict.outcome === 'flagged' && chain.length > 1) return flaggedBy(verdict.reasons, chain);
    const mayRequest = verdict.outcome !== 'clean' || (deps.pages && chain.length > 1);
    if (!mayRequest) return end(verdict, [], chain);
    if (chain.length > MOST_REQUESTS)
      return warning('long-redirect-chain', `redirects more than ${MOST_REQUESTS} times`);
    if (remainingMs <= 0) throw new NotFollowed('the redirects took too long');

    const current = next;
    const inspection = await deps.onePerSite(siteOf(current), () => {
      const startedAt = performance.now();
      return inspector.inspect(current, remainingMs).finally(() => {
        remainingMs -= performance.now() - startedAt;
      });
    });
    if (inspection.kind === 'failed') throw new NotFollowed(inspection.why);
    if (inspection.kind === 'refused') return warning('redirect-refused', inspection.why);
    if (inspection.kind === 'page') {
      const { flags, reasons } = deps.pages
        ? judgePage(inspection, current, verdict, deps.rulesOff)
        : { flags: false, reasons: [] };
      return flags ? flaggedBy([...reasons, ...verdict.reasons], chain) : end(verdict, reasons, chain);
    }
    const target = URL.parse(inspection.location, current);
    if (target === null) return warning('redirect-refused', 'redirects to an invalid URL');
    if (!/^https?:$/.test(target.protocol))
      return warning('redirect-refused', 'redirects to a URL that is not http or https');
    target.hash = '';
    const from = chain.findIndex((earlier) => withoutHash(earlier) === target.href);
    if (from !== -1) {
      const cycle = chain.slice(from);
      const verdicts = cycle.map(judge);
      // Ordinary sites redirect in a circle without cookies, which visitors have.
      const isOdd = new Set(cycle.map(siteOf)).size > 1 && verdicts.every(({ outcome }) => outcome === 'warned');
      if (isOdd || verdicts.every(isShortener)) return loop([...chain, target.href], 'redirects in a loop');
      return warning('redirect-loop', 'redirects in a loop, at least without cookies');
    }
    next = target.href;
  }
}

/** Whether the URL itself is a short link, and not only one inside it. */
export function isShortener({ url, reasons }: Pick<Verdict, 'url' | 'reasons'>): boolean {
  const host = URL.parse(url)?.hostname.replace(/\.$/, '');
  return reasons.some(({ rule, evidence }) => rule === 'shortener' && evidence.startsWith(`${host} `));
}

function flaggedBy(reasons: readonly Reason[], chain: readonly string[]): Followed {
  const threatType = mostSevere(reasons.flatMap(({ threat_type }) => threat_type ?? []));
  return { threatType, flags: threatType !== null, reasons: [...reasons, chainReason(chain)], ends: true };
}

function loop(chain: readonly string[], evidence: string): Followed {
  return flaggedBy([{ rule: 'redirect-loop', evidence, threat_type: 'suspicious' }], chain);
}

function end(verdict: Verdict, ofPage: readonly Reason[], chain: readonly string[]): Followed {
  return {
    threatType: verdict.threat_type,
    flags: false,
    reasons: [...verdict.reasons, ...ofPage, chainReason(chain)],
    ends: true,
  };
}

function chainReason(chain: readonly string[]): Reason {
  return { rule: 'redirect-chain', evidence: evidenceText(chain.map((url) => evidenceText(url, 90)).join(' > ')) };
}

function withoutHash(url: string): string {
  const at = url.indexOf('#');
  return at === -1 ? url : url.slice(0, at);
}
