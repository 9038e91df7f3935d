/**
 * The deep scans of links: queued by their events, worked off in the background, reported on the bus. link-api decides
 * what follows. The queue is a table, so what a killed process had begun is due again when its lease ends.
 */
import {
  checkDestinationUrl,
  evidenceText,
  type LinkEvent,
  type UrlPolicy,
  VERDICTS,
  type VerdictEvent,
} from '@waypost/domain';
import type { Bus, ClaimedDeepScan, DeepScanQueue, PageInspector, ScanResult } from '@waypost/ports';
import { type BackOff, background, backOffMs, untilAborted } from '@waypost/resilience';
import type { Settings } from '@waypost/settings';
import { errorFields, type Logger, warnOfRetries } from '@waypost/telemetry';
import { encoded } from '@waypost/typed-bus';
import type { ThreatDatabase } from '../threat-index/threat-index.ts';
import { verdictOn } from '../use-cases/scan-urls.ts';
import { verdictEvent } from '../use-cases/verdict-event.ts';
import { type Followed, followLink, isShortener, NotFollowed, siteOf } from './follow-link.ts';
import type { DEEP_SCANS } from './settings.ts';
import { SiteBusy, SiteTurns } from './site-turns.ts';

export interface DeepScanSettings {
  readonly pages: boolean;
  readonly previewFirst: boolean;
  readonly concurrency: number;
  /** Links that may wait; those beyond are done at once, unfollowed. */
  readonly queueMax?: number;
  /** Between two requests to a site. */
  readonly pauseMs?: number;
  /** For a turn at a site; a link that would wait longer is postponed. */
  readonly patienceMs?: number;
  readonly retries?: BackOff & { readonly attempts: number };
}

export interface DeepScanDeps extends DeepScanSettings {
  readonly queue: DeepScanQueue;
  readonly inspector: PageInspector;
}

/** As the settings say; undefined if they switch deep scans off. */
export function configuredDeepScans(
  config: Settings<typeof DEEP_SCANS>,
  adapters: Pick<DeepScanDeps, 'queue' | 'inspector'>,
): DeepScanDeps | undefined {
  if (config.deepScans === 'off') return undefined;
  return {
    ...adapters,
    pages: config.deepScans === 'pages',
    previewFirst: config.previewFirst === 'on',
    concurrency: config.deepScanConcurrency,
  };
}

interface Deps extends DeepScanDeps {
  readonly database: () => ThreatDatabase | undefined;
  readonly policy: UrlPolicy;
  readonly rulesOff: readonly string[];
  readonly bus: Pick<Bus, 'publishEncoded'>;
  readonly logger: Logger;
  readonly now: () => Date;
}

export interface DeepScans {
  /** Marks the verdicts after which a deep scan is due: for a flagged URL, once its link is cleared. */
  marked(result: ScanResult): ScanResult;
  /** Queues links that are due one, drops those that are no longer active. Rejects if it must be retried. */
  note(events: readonly LinkEvent[]): Promise<void>;
  status(): DeepScanStatus;
  start(): void;
  /** What runs is due again at the next start. */
  stop(): Promise<void>;
}

export interface DeepScanStatus {
  readonly running: number;
  readonly waiting: number;
  /** Since the start. */
  readonly flagged: number;
  readonly ended: number;
  readonly givenUp: number;
}

const QUEUE_MAX = 100_000;
const PAUSE_MS = 1_000;
/** Longer than an ordinary request and the pause after it. Whoever waits takes the place of links to other sites. */
const PATIENCE_MS = 2_000;
/** With the pauses, a link is given up after about an hour. */
const RETRIES = { attempts: 8, first: 30_000, most: 3_600_000 };
/** Longer than any chain takes, with its turns at busy sites; a process that was killed delays its links for so long. */
const LEASE_MS = 60_000;
const POLL_MS = 1_000;
const BACK_OFF: BackOff = { first: POLL_MS, most: 30_000 };
const COUNT_EVERY_MS = 15_000;

export function deepScans(deps: Deps): DeepScans {
  const { queue, inspector, logger, now, database, policy, bus } = deps;
  const { retries = RETRIES, queueMax = QUEUE_MAX } = deps;
  const stopping = new AbortController();
  const turns = new SiteTurns(deps.pauseMs ?? PAUSE_MS, deps.patienceMs ?? PATIENCE_MS, stopping.signal);
  const running = new Set<Promise<void>>();
  const count = { flagged: 0, ended: 0, givenUp: 0, waiting: 0 };
  let counted = Number.NEGATIVE_INFINITY;

  const isOwn = (url: string) =>
    !checkDestinationUrl(url, policy).ok && checkDestinationUrl(url, { ...policy, ownHosts: [] }).ok;

  const working = background({
    backOff: BACK_OFF,
    async work() {
      if (await startSome()) return 0;
      if (performance.now() - counted > COUNT_EVERY_MS) {
        counted = performance.now();
        count.waiting = (await queue.backlog()).waiting;
      }
      return POLL_MS;
    },
    onFailure: warnOfRetries(logger, 'deep scans'),
  });

  /** Whether there may be more to start. */
  async function startSome(): Promise<boolean> {
    const limit = deps.concurrency - running.size;
    if (limit <= 0 || stopping.signal.aborted || database() === undefined) return false;
    const claimed = await queue.claim({ limit, busySites: turns.sites(), leaseMs: LEASE_MS }, now());
    for (const link of claimed) {
      const one = scan(link).finally(() => {
        running.delete(one);
        working.wake();
      });
      running.add(one);
    }
    return claimed.length > 0;
  }

  async function scan(link: ClaimedDeepScan): Promise<void> {
    const { slug, attempts } = link;
    try {
      const followed = await tryToFollow(link);
      if (followed === undefined) return;
      await report([link], followed);
      await queue.drop([slug]);
      if (!followed.ends) count.givenUp += 1;
      else if (followed.flags) count.flagged += 1;
      else count.ended += 1;
      logger.info('deep scan', { slug, attempts, flags: followed.flags, ends: followed.ends });
    } catch (error) {
      // Without this it is due again when the lease ends.
      if (stopping.signal.aborted) await queue.postpone(slug, now()).catch(() => undefined);
      else logger.warn('a deep scan failed, will retry', { slug, ...errorFields(error) });
    }
  }

  /** Undefined: it is postponed, as it may help to try again. */
  async function tryToFollow(link: ClaimedDeepScan): Promise<Followed | undefined> {
    const current = database();
    if (current === undefined) return await postpone(link);
    try {
      return await followLink(
        {
          ...deps,
          inspector: { inspect: (url, withinMs) => untilAborted(inspector.inspect(url, withinMs), stopping.signal) },
          judge: (url) => verdictOn(url, policy, current),
          isOwn,
          inTurn: (site, asked) => turns.run(site, asked),
        },
        link.destinationUrl,
      );
    } catch (error) {
      if (stopping.signal.aborted) throw error;
      if (!(error instanceof NotFollowed)) logger.warn('the inspector gave no answer', errorFields(error));
      if (link.attempts < retries.attempts)
        return await postpone(link, error instanceof SiteBusy ? error.site : undefined);
      return unfollowed(error instanceof NotFollowed ? error.message : 'the inspector gave no answer');
    }
  }

  async function postpone({ slug, attempts }: ClaimedDeepScan, busySite?: string): Promise<undefined> {
    await queue.postpone(slug, new Date(now().getTime() + backOffMs(retries, attempts)), busySite);
  }

  async function report(
    links: readonly Pick<ClaimedDeepScan, 'slug' | 'destinationUrl'>[],
    followed: Followed,
  ): Promise<void> {
    const events = links.flatMap((link) => eventsOf(link, followed));
    await bus.publishEncoded(
      VERDICTS,
      events.map((event) => encoded(VERDICTS, event)),
    );
  }

  function eventsOf(
    link: Pick<ClaimedDeepScan, 'slug' | 'destinationUrl'>,
    { threatType, flags, reasons, ends }: Followed,
  ): VerdictEvent[] {
    const found = { threat_type: threatType ?? 'suspicious', reasons, generation: database()?.generation ?? '' };
    const done: VerdictEvent = {
      ...verdictEvent('deep_scan.done', link, found, now()),
      outcome: flags ? 'flagged' : threatType === null ? 'clean' : 'warned',
      // As at creation: only a link to another shortener has the page.
      preview_first: !ends && deps.previewFirst && isShort(link.destinationUrl),
    };
    return flags ? [verdictEvent('threat.found', link, found, now()), done] : [done];
  }

  function isShort(url: string): boolean {
    const current = database();
    return current !== undefined && isShortener(verdictOn(url, policy, current));
  }

  return {
    marked({ generation, verdicts }) {
      return {
        generation,
        verdicts: verdicts.map((verdict) =>
          verdict.threat_type !== null
            ? { ...verdict, deep_scan: { preview_first: deps.previewFirst && isShortener(verdict) } }
            : verdict,
        ),
      };
    },
    async note(events) {
      // Events are in order per slug, so the last one is the current state of the link.
      const latest = [...new Map(events.map((event) => [event.slug, event])).values()];
      const gone = latest.filter(({ status }) => status !== 'active').map(({ slug }) => slug);
      if (gone.length > 0) await queue.drop(gone);
      const due = latest
        .filter(({ status, deep_scan }) => status === 'active' && deep_scan === 'queued')
        .map(({ slug, destination_url: destinationUrl }) => ({ slug, destinationUrl, site: siteOf(destinationUrl) }));
      if (due.length === 0) return;
      const left = new Set(await queue.add(due, queueMax, now()));
      const beyond = due.filter(({ slug }) => left.has(slug));
      if (beyond.length > 0) await report(beyond, unfollowed('too many links wait for one'));
      working.wake();
    },
    status: () => ({ running: running.size, ...count }),
    start: working.start,
    async stop() {
      stopping.abort();
      await working.stop();
      await Promise.all(running);
    },
  };
}

function unfollowed(why: string): Followed {
  const reasons = [{ rule: 'not-followed', evidence: evidenceText(`it is not known where it ends: ${why}`) }];
  return { threatType: 'suspicious', flags: false, reasons, ends: false };
}
