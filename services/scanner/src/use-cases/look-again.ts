/**
 * Another look at links that are due one: by this scanner's own data, and by the providers that are configured. Nobody
 * waits for it, so a provider may be as slow as its time limit.
 */
import {
  checkDestinationUrl,
  flaggedAs,
  mostSevere,
  type Reason,
  type UrlPolicy,
  VERDICTS,
  type VerdictEvent,
} from '@waypost/domain';
import type { Bus, DueLook, LookQueue } from '@waypost/ports';
import { type BackOff, backOffMs } from '@waypost/resilience';
import { encoded } from '@waypost/typed-bus';
import { urlEntry } from '../feeds/entry.ts';
import { judge } from '../feeds/guards.ts';
import type { ProviderFinding, ThreatProvider } from '../providers/provider.ts';
import type { ThreatDatabase } from '../threat-index/threat-index.ts';
import type { ThreatStore } from '../threat-index/threat-store.ts';
import { verdictOn } from './scan-urls.ts';
import { turns } from './turns.ts';
import { verdictEvent } from './verdict-event.ts';

interface Deps {
  readonly store: Pick<ThreatStore, 'database' | 'follow'>;
  readonly policy: UrlPolicy;
  readonly looks: Pick<LookQueue, 'take' | 'finish' | 'putBack'>;
  readonly providers: readonly ThreatProvider[];
  readonly bus: Pick<Bus, 'publishEncoded'>;
  readonly now: () => Date;
}

const AT_ONCE = 50;
/** Longer than all providers may take for a batch; another attempt begins when a process died. */
const LEASE_MS = 10 * 60_000;
/** A flag that only providers hold is confirmed so often, and goes when they no longer list it. */
const CONFIRM_EVERY_MS = 72 * 3_600_000;
const BACK_OFF: BackOff = { first: 60_000, most: 6 * 3_600_000 };
/**
 * Some days, with the pauses above; the link is then looked at again when somebody clicks or reports it. A flagged link
 * is not given up: nobody can click it, and only a look finds that no provider lists it any more.
 */
const MOST_TRIES = 30;

interface Looked {
  readonly look: DueLook;
  readonly kind: 'done' | 'confirm' | 'retry';
  readonly event?: VerdictEvent | undefined;
}

/** Resolves to how many links were due. Rejects if the data, the queue or the bus fails; the links stay due. */
export async function lookAgain(deps: Deps, signal: AbortSignal): Promise<number> {
  const { store, looks, bus, now } = deps;
  // One that cannot follow leaves the looks to others: they may be due because of an import that it does not have.
  await store.follow();
  const database = store.database();
  if (database === undefined) return 0;
  const takenAt = now();
  const until = new Date(takenAt.getTime() + LEASE_MS);
  const due = await looks.take(takenAt, AT_ONCE, until);
  if (due.length === 0) return 0;
  const looked = await lookAt(deps, database, due, signal);
  const messages = looked.flatMap(({ event }) => (event ? [encoded(VERDICTS, event)] : []));
  if (messages.length > 0) await bus.publishEncoded(VERDICTS, messages);
  const slugsOf = (kind: Looked['kind']) => looked.filter((each) => each.kind === kind).map(({ look }) => look.slug);
  const confirm = slugsOf('confirm');
  if (confirm.length > 0) await looks.putBack(confirm, until, new Date(now().getTime() + CONFIRM_EVERY_MS));
  const { retry = [], givenUp = [] } = Object.groupBy(
    looked.flatMap(({ kind, look }) => (kind === 'retry' ? look : [])),
    ({ tries, flagged }) => (tries >= MOST_TRIES && !flagged ? 'givenUp' : 'retry'),
  );
  await looks.finish([...slugsOf('done'), ...givenUp.map(({ slug }) => slug)], until);
  // A provider that is away leaves all of a batch, mostly of one age.
  for (const [tries, its] of Map.groupBy(retry, ({ tries }) => tries)) {
    const at = new Date(now().getTime() + backOffMs(BACK_OFF, tries));
    await looks.putBack(
      its.map(({ slug }) => slug),
      until,
      at,
    );
  }
  return due.length;
}

async function lookAt(deps: Deps, database: ThreatDatabase, due: readonly DueLook[], signal: AbortSignal) {
  const { policy, providers, now } = deps;
  const turn = turns();
  const scanned: { look: DueLook; event: VerdictEvent | undefined; href: string | undefined }[] = [];
  for (const look of due) {
    await turn();
    const verdict = verdictOn(look.destinationUrl, policy, database);
    const threatType = flaggedAs(verdict);
    const event = threatType === null ? undefined : eventOf('threat.found', look, threatType, verdict.reasons);
    const checked = checkDestinationUrl(look.destinationUrl, policy);
    // What only the operator's intranet knows is nobody else's business.
    scanned.push({ look, event, href: checked.ok && !checked.allowedHost ? checked.href : undefined });
  }
  const toAsk = [...new Set(scanned.flatMap(({ event, href }) => (event === undefined && href ? [href] : [])))];
  const answers = await Promise.all(
    providers.map(async (provider) => ({ provider, found: await provider.lookUp(toAsk, signal) })),
  );

  return scanned.map(({ look, event, href }): Looked => {
    if (event !== undefined) {
      if (!look.flagged) return { look, kind: 'done', event };
      // A provider may hold the flag, too: it is asked once the scanner's own data is silent.
      return { look, kind: providers.length > 0 ? 'confirm' : 'done' };
    }
    if (href === undefined || providers.length === 0) return { look, kind: 'done' };
    const reasons = answers.flatMap(({ provider, found }) => reasonsOf(provider, found.get(href), policy));
    const threatType = mostSevere(reasons.flatMap((reason) => reason.threat_type ?? []));
    if (threatType !== null) {
      const found = look.flagged ? undefined : eventOf('threat.found', look, threatType, reasons);
      return { look, kind: 'confirm', event: found };
    }
    if (answers.some(({ found }) => !found.has(href))) return { look, kind: 'retry' };
    if (!look.flagged) return { look, kind: 'done' };
    const gone = providers.map(({ name }) => ({ rule: `provider:${name}`, evidence: 'no longer listed' }));
    return { look, kind: 'done', event: eventOf('threat.gone', look, 'suspicious', gone) };
  });

  function eventOf(
    type: VerdictEvent['type'],
    look: DueLook,
    threat_type: VerdictEvent['threat_type'],
    reasons: readonly Reason[],
  ): VerdictEvent {
    return verdictEvent(type, look, { threat_type, reasons, generation: database.generation }, now());
  }
}

/** A provider may be wrong as a feed may be: what no feed may list flags nothing. */
function reasonsOf({ name }: ThreatProvider, found: ProviderFinding | null | undefined, policy: UrlPolicy): Reason[] {
  if (found == null) return [];
  const entry = urlEntry(found.evidence);
  if (entry === undefined || judge(entry, policy.ownHosts).kind !== 'good') return [];
  return [{ rule: `provider:${name}`, evidence: found.evidence.slice(0, 300), threat_type: found.threatType }];
}
