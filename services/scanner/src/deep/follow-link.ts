/**
 * Follows a link's redirects and judges every address on the way with the same engine as at creation. It asks only
 * shorteners and what the engine warns of: other addresses are judged and not fetched, since a request may have effects
 * there (docs/scanner.md, Deep scan). A harmless answer proves little, so it clears nothing.
 */
import { evidenceText, mostSevere, type Reason, type ThreatType, type Verdict } from '@waypost/domain';
import type { PageInspector } from '@waypost/ports';
import { registrableDomain } from '../urls/hosts.ts';
import { judgePage } from './page-rules.ts';

export interface FollowDeps {
  readonly inspector: Pick<PageInspector, 'inspect'>;
  /** The engine. Its reasons say which threat type each alone would flag. */
  readonly judge: (url: string) => Verdict;
  /** Whether an address is of this service. */
  readonly isOwn: (url: string) => boolean;
  /** Runs `work` when no other request of this process goes to the site. */
  readonly inTurn: <T>(site: string, work: () => Promise<T>) => Promise<T>;
  /** Whether to judge the page at the end, too. */
  readonly pages: boolean;
  readonly rulesOff: readonly string[];
}

const MOST_REQUESTS = 5;
/** For all of them; waiting for a turn does not count. */
const TOTAL_MS = 10_000;

export interface Followed {
  /** Null: nothing to suspect. */
  readonly threatType: ThreatType | null;
  readonly flags: boolean;
  /** Never empty. */
  readonly reasons: readonly Reason[];
  /** Whether it is known where the link ends. */
  readonly ends: boolean;
}

/** It may help to ask again later. The message is ours, with nothing that a server sent. */
export class NotFollowed extends Error {
  override readonly name = 'NotFollowed';
}

/** Where one request at a time goes: the registrable domain, or the address. */
export function siteOf(url: string): string {
  const host = URL.parse(url)?.hostname ?? '';
  return registrableDomain(host) ?? host;
}

/** Throws `NotFollowed` if an address on the way does not answer, and what the inspector throws. */
export async function followLink(deps: FollowDeps, url: string): Promise<Followed> {
  const { inspector, judge } = deps;
  const chain: string[] = [];
  let leftMs = TOTAL_MS;
  const warned = (rule: string, evidence: string): Followed => ({
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
      return warned(
        'redirect-refused',
        `leads to an address that ${verdict.reasons[0]?.evidence ?? 'no link may have'}`,
      );
    // Re-scans flag links by their own address. A review may have cleared this one, and its end is still not known.
    if (verdict.outcome === 'flagged' && chain.length > 1) return flaggedBy(verdict.reasons, chain);
    const isAsked = verdict.outcome !== 'clean' || (deps.pages && chain.length > 1);
    if (!isAsked) return ended(verdict, [], chain);
    if (chain.length > MOST_REQUESTS)
      return warned('long-redirect-chain', `has no end within ${MOST_REQUESTS} redirects`);
    if (leftMs <= 0) throw new NotFollowed('the whole chain took too long');

    const current = next;
    const found = await deps.inTurn(siteOf(current), async () => {
      const startedAt = performance.now();
      const inspection = await inspector.inspect(current, leftMs);
      leftMs -= performance.now() - startedAt;
      return inspection;
    });
    if (found.kind === 'failed') throw new NotFollowed(found.why);
    if (found.kind === 'refused') return warned('redirect-refused', found.why);
    if (found.kind === 'page') {
      const { flags, reasons } = deps.pages
        ? judgePage(found, current, verdict, deps.rulesOff)
        : { flags: false, reasons: [] };
      return flags ? flaggedBy([...reasons, ...verdict.reasons], chain) : ended(verdict, reasons, chain);
    }
    const target = URL.parse(found.location, current);
    if (target === null) return warned('redirect-refused', 'redirects to something that is no address');
    if (!/^https?:$/.test(target.protocol)) return warned('redirect-refused', 'redirects out of the web');
    target.hash = '';
    const from = chain.findIndex((seen) => withoutHash(seen) === target.href);
    if (from !== -1) {
      const cycle = chain.slice(from);
      const verdicts = cycle.map(judge);
      // Ordinary sites send us around for want of a cookie, which visitors have.
      const isOdd = new Set(cycle.map(siteOf)).size > 1 && verdicts.every(({ outcome }) => outcome === 'warned');
      if (isOdd || verdicts.every(isShortener)) return loop([...chain, target.href], 'redirects in a circle');
      return warned('redirect-loop', 'redirects in a circle, at least without cookies');
    }
    next = target.href;
  }
}

/** Whether the destination is itself a short link: the rule of that name says so, of the URL and not of one in it. */
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

function ended(verdict: Verdict, ofPage: readonly Reason[], chain: readonly string[]): Followed {
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
