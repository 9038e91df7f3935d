import { type UrlPolicy, unavailable, type Verdict } from '@waypost/domain';
import type { ScanResult } from '@waypost/ports';
import { judge } from './judge/judge.ts';
import { pauses } from './pauses.ts';
import type { ThreatDatabase } from './threats/threat-index.ts';

interface Deps {
  readonly policy: UrlPolicy;
  readonly database: () => ThreatDatabase | undefined;
}

/** Scans all URLs with one generation. Throws `unavailable` without a threat database. */
export async function scanUrls(deps: Deps, urls: readonly string[]): Promise<ScanResult> {
  const database = deps.database();
  if (database === undefined) throw unavailable('The threat database is not loaded. Try again later.');
  const verdictOf = new Map<string, Verdict>();
  const verdicts: Verdict[] = [];
  const pause = pauses();
  for (const url of urls) {
    const turn = pause();
    if (turn !== undefined) await turn;
    const verdict = verdictOf.get(url) ?? publicPartOf(judge(url, { ...database, policy: deps.policy }));
    verdictOf.set(url, verdict);
    verdicts.push(verdict);
  }
  return { generation: database.generation, verdicts };
}

/** Only link-api's reviews need the threat types, and they have them from `threat.found`. */
function publicPartOf(verdict: Verdict): Verdict {
  return { ...verdict, reasons: verdict.reasons.map(({ rule, evidence }) => ({ rule, evidence })) };
}
