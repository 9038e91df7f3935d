/** Rechecks of links by the scanner's own data, and by providers. Nobody waits for them, so a provider may be slow. */

import {
  checkDestinationUrl,
  mostSevere,
  type Reason,
  type UrlPolicy,
  VERDICTS,
  type VerdictEvent,
} from '@waypost/domain';
import type { Bus } from '@waypost/ports';
import { type BackOff, backOffMs } from '@waypost/resilience';
import { encoded } from '@waypost/typed-bus';
import { pauses } from '../pauses.ts';
import { urlEntry } from '../threats/feeds/entry.ts';
import { judgeEntry } from '../threats/feeds/guards.ts';
import { judgeLink } from '../threats/own-links.ts';
import type { ThreatDatabase } from '../threats/threat-index.ts';
import type { ThreatStore } from '../threats/threat-store.ts';
import type { ProviderFinding, ThreatProvider } from './providers/provider.ts';
import type { DueRecheck, RecheckQueue } from './recheck-queue.port.ts';
import { verdictEvent } from './verdict-event.ts';

interface Deps {
  readonly store: Pick<ThreatStore, 'database' | 'follow'>;
  readonly policy: UrlPolicy;
  readonly rechecks: Pick<RecheckQueue, 'take' | 'finish' | 'putBack'>;
  readonly providers: readonly ThreatProvider[];
  readonly bus: Pick<Bus, 'publishEncoded'>;
  readonly now: () => Date;
}

const AT_ONCE = 50;
/** Longer than all providers may take for a batch. The links of a killed process are due again after it. */
const LEASE_MS = 10 * 60_000;
/** A flag of providers alone is cleared when they no longer list the link. */
const CONFIRM_EVERY_MS = 72 * 3_600_000;
const BACK_OFF: BackOff = { first: 60_000, most: 6 * 3_600_000 };
/**
 * With the back-off, some days; a click or a report then causes another recheck. A flagged link is not given up: nobody
 * can click it, and only a recheck shows that no provider lists it any more.
 */
const MOST_TRIES = 30;

interface Rechecked {
  readonly recheck: DueRecheck;
  readonly kind: 'done' | 'confirm' | 'retry';
  readonly event?: VerdictEvent | undefined;
}

/** Resolves to the number of links that were due. Rejects if the data, the queue or the bus fails. */
export async function recheckLinks(deps: Deps, signal: AbortSignal): Promise<number> {
  const { store, rechecks, bus, now } = deps;
  // Rechecks may be due because of an import, so a scanner that cannot follow leaves them to others.
  await store.follow();
  const database = store.database();
  if (database === undefined) return 0;
  const takenAt = now();
  const until = new Date(takenAt.getTime() + LEASE_MS);
  const due = await rechecks.take(takenAt, AT_ONCE, until);
  if (due.length === 0) return 0;
  const rechecked = await recheckAll(deps, database, due, signal);
  const messages = rechecked.flatMap(({ event }) => (event ? [encoded(VERDICTS, event)] : []));
  if (messages.length > 0) await bus.publishEncoded(VERDICTS, messages);
  const slugsOf = (kind: Rechecked['kind']) =>
    rechecked.filter((each) => each.kind === kind).map(({ recheck }) => recheck.slug);
  const confirm = slugsOf('confirm');
  if (confirm.length > 0) await rechecks.putBack(confirm, until, new Date(now().getTime() + CONFIRM_EVERY_MS));
  const { retry = [], givenUp = [] } = Object.groupBy(
    rechecked.flatMap(({ kind, recheck }) => (kind === 'retry' ? recheck : [])),
    ({ tries, flagged }) => (tries >= MOST_TRIES && !flagged ? 'givenUp' : 'retry'),
  );
  await rechecks.finish([...slugsOf('done'), ...givenUp.map(({ slug }) => slug)], until);
  // If a provider fails, all links of a batch remain, most of them with the same number of tries.
  for (const [tries, links] of Map.groupBy(retry, ({ tries }) => tries)) {
    const at = new Date(now().getTime() + backOffMs(BACK_OFF, tries));
    await rechecks.putBack(
      links.map(({ slug }) => slug),
      until,
      at,
    );
  }
  return due.length;
}

async function recheckAll(deps: Deps, database: ThreatDatabase, due: readonly DueRecheck[], signal: AbortSignal) {
  const { policy, providers, now } = deps;
  const pause = pauses();
  const scanned: { recheck: DueRecheck; event: VerdictEvent | undefined; href: string | undefined }[] = [];
  for (const recheck of due) {
    await pause();
    const { threatType, reasons } = judgeLink(recheck, { ...database, policy });
    const event = threatType === null ? undefined : eventOf('threat.found', recheck, threatType, reasons);
    const check = checkDestinationUrl(recheck.destinationUrl, policy);
    // Providers do not learn addresses of the operator's intranet.
    scanned.push({ recheck, event, href: check.ok && !check.allowedHost ? check.href : undefined });
  }
  const hrefs = [...new Set(scanned.flatMap(({ event, href }) => (event === undefined && href ? [href] : [])))];
  const answers = await Promise.all(
    providers.map(async (provider) => ({ provider, findings: await provider.lookUp(hrefs, signal) })),
  );

  return scanned.map(({ recheck, event, href }): Rechecked => {
    if (event !== undefined) {
      if (!recheck.flagged) return { recheck, kind: 'done', event };
      // A provider may list the link, too. It is called once the scanner's own data no longer flags the link.
      return { recheck, kind: providers.length > 0 ? 'confirm' : 'done' };
    }
    if (href === undefined || providers.length === 0) return { recheck, kind: 'done' };
    const reasons = answers.flatMap(({ provider, findings }) => reasonsOf(provider, findings.get(href), policy));
    const threatType = mostSevere(reasons.flatMap((reason) => reason.threat_type ?? []));
    if (threatType !== null) {
      if (recheck.flagged) return { recheck, kind: 'confirm' };
      return { recheck, kind: 'confirm', event: eventOf('threat.found', recheck, threatType, reasons) };
    }
    if (answers.some(({ findings }) => !findings.has(href))) return { recheck, kind: 'retry' };
    if (!recheck.flagged) return { recheck, kind: 'done' };
    const unlisted = providers.map(({ name }) => ({ rule: `provider:${name}`, evidence: 'no longer listed' }));
    return { recheck, kind: 'done', event: eventOf('threat.gone', recheck, 'suspicious', unlisted) };
  });

  function eventOf(
    type: VerdictEvent['type'],
    recheck: DueRecheck,
    threat_type: VerdictEvent['threat_type'],
    reasons: readonly Reason[],
  ): VerdictEvent {
    return verdictEvent(type, recheck, { threat_type, reasons, generation: database.generation }, now());
  }
}

/** A provider may have errors as a feed may, so the same guards apply. */
function reasonsOf({ name }: ThreatProvider, finding: ProviderFinding | null | undefined, policy: UrlPolicy): Reason[] {
  const entry = finding && urlEntry(finding.evidence);
  if (!entry || judgeEntry(entry, policy.ownHosts).kind !== 'good') return [];
  return [{ rule: `provider:${name}`, evidence: finding.evidence.slice(0, 300), threat_type: finding.threatType }];
}
