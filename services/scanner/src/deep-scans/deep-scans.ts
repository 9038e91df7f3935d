/**
 * Deep scans of links: events queue them, and reports go to the bus, where link-api decides what follows. The scans of
 * a killed process are due again when their lease ends.
 */

import {
  checkDestinationUrl,
  evidenceText,
  type LinkEvent,
  type UrlPolicy,
  VERDICTS,
  type VerdictEvent,
} from '@waypost/domain';
import type { Bus, PageInspector, ScanResult } from '@waypost/ports';
import { type Background, type BackOff, background, backOffMs, untilAborted } from '@waypost/resilience';
import type { Settings } from '@waypost/settings';
import { errorFields, type Logger, warnOfRetries } from '@waypost/telemetry';
import { encoded } from '@waypost/typed-bus';
import { judge } from '../judge/judge.ts';
import type { ScannedLink } from '../recheck/scanned-links.port.ts';
import { verdictEvent } from '../recheck/verdict-event.ts';
import type { ThreatDatabase } from '../threats/threat-index.ts';
import type { ClaimedDeepScan, DeepScanQueue } from './deep-scan-queue.port.ts';
import { type Followed, followLink, isShortener, NotFollowed, siteOf } from './follow-link.ts';
import type { DEEP_SCANS } from './settings.ts';
import { SiteBusy, SiteLimit } from './site-limit.ts';

export interface DeepScanSettings {
  readonly pages: boolean;
  readonly previewFirst: boolean;
  readonly concurrency: number;
  /** Links beyond this number are reported as not followed. */
  readonly queueMax?: number;
  /** The pause between two requests to a site. */
  readonly pauseMs?: number;
  /** A link that would wait longer for a site is postponed. */
  readonly patienceMs?: number;
  readonly retries?: BackOff & { readonly attempts: number };
}

export interface DeepScanDeps extends DeepScanSettings {
  readonly queue: DeepScanQueue;
  readonly inspector: PageInspector;
}

/** Undefined if the settings switch deep scans off. */
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

export interface DeepScanStatus {
  readonly running: number;
  readonly waiting: number;
  /** The number since the start of the process. */
  readonly flagged: number;
  readonly ended: number;
  readonly givenUp: number;
}

const QUEUE_MAX = 100_000;
const PAUSE_MS = 1_000;
/** Longer than an ordinary request and the pause after it. A waiting link takes the place of links to other sites. */
const PATIENCE_MS = 2_000;
/** With the back-off, a link is given up after about an hour. */
const RETRIES = { attempts: 8, first: 30_000, most: 3_600_000 };
/** This is longer than any chain takes, including the waits for busy sites. */
const LEASE_MS = 60_000;
const POLL_MS = 1_000;
const BACK_OFF: BackOff = { first: POLL_MS, most: 30_000 };
const COUNT_EVERY_MS = 15_000;

export class DeepScans {
  readonly #deps: Deps;
  readonly #retries: BackOff & { readonly attempts: number };
  readonly #stopping = new AbortController();
  readonly #sites: SiteLimit;
  readonly #running = new Set<Promise<void>>();
  readonly #count = { flagged: 0, ended: 0, givenUp: 0, waiting: 0 };
  readonly #working: Background;
  #countedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#retries = deps.retries ?? RETRIES;
    this.#sites = new SiteLimit(deps.pauseMs ?? PAUSE_MS, deps.patienceMs ?? PATIENCE_MS, this.#stopping.signal);
    this.#working = background({
      backOff: BACK_OFF,
      work: () => this.#work(),
      onFailure: warnOfRetries(deps.logger, 'deep scans'),
    });
  }

  /** Marks the verdicts after which a deep scan is due; a flagged URL has one once its link is cleared. */
  markDeepScans({ generation, verdicts }: ScanResult): ScanResult {
    const { previewFirst } = this.#deps;
    return {
      generation,
      verdicts: verdicts.map((verdict) =>
        verdict.threat_type !== null
          ? { ...verdict, deep_scan: { preview_first: previewFirst && isShortener(verdict) } }
          : verdict,
      ),
    };
  }

  /** Queues links that are due and drops inactive ones. Rejects if it must be retried. */
  async queue(events: readonly LinkEvent[]): Promise<void> {
    const { queue, queueMax = QUEUE_MAX, now } = this.#deps;
    // Events of a slug are in order, so the last one has the current state.
    const latest = [...new Map(events.map((event) => [event.slug, event])).values()];
    const inactive = latest.filter(({ status }) => status !== 'active').map(({ slug }) => slug);
    if (inactive.length > 0) await queue.drop(inactive);
    const due = latest
      .filter(({ status, deep_scan }) => status === 'active' && deep_scan === 'queued')
      .map(({ slug, destination_url: destinationUrl }) => ({ slug, destinationUrl, site: siteOf(destinationUrl) }));
    if (due.length === 0) return;
    const excess = new Set(await queue.add(due, queueMax, now()));
    const beyond = due.filter(({ slug }) => excess.has(slug));
    if (beyond.length > 0) await this.#report(beyond, notFollowed('too many links wait for one'));
    this.#working.wake();
  }

  status(): DeepScanStatus {
    return { running: this.#running.size, ...this.#count };
  }

  start(): void {
    this.#working.start();
  }

  /** Running scans are due again at the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#working.stop();
    await Promise.all(this.#running);
  }

  async #work(): Promise<number> {
    if (await this.#startSome()) return 0;
    if (performance.now() - this.#countedAt > COUNT_EVERY_MS) {
      this.#countedAt = performance.now();
      this.#count.waiting = (await this.#deps.queue.backlog()).waiting;
    }
    return POLL_MS;
  }

  /** Resolves to whether there may be more to start. */
  async #startSome(): Promise<boolean> {
    const { concurrency, database, queue, now } = this.#deps;
    const limit = concurrency - this.#running.size;
    if (limit <= 0 || this.#stopping.signal.aborted || database() === undefined) return false;
    const claimed = await queue.claim({ limit, busySites: this.#sites.sites(), leaseMs: LEASE_MS }, now());
    for (const link of claimed) {
      const scan = this.#scan(link).finally(() => {
        this.#running.delete(scan);
        this.#working.wake();
      });
      this.#running.add(scan);
    }
    return claimed.length > 0;
  }

  async #scan(link: ClaimedDeepScan): Promise<void> {
    const { queue, logger, now } = this.#deps;
    const { slug, attempts } = link;
    try {
      const followed = await this.#follow(link);
      if (followed === undefined) return;
      await this.#report([link], followed);
      await queue.drop([slug]);
      if (!followed.ends) this.#count.givenUp += 1;
      else if (followed.flags) this.#count.flagged += 1;
      else this.#count.ended += 1;
      logger.info('deep scan finished', { slug, attempts, flags: followed.flags, ends: followed.ends });
    } catch (error) {
      // The link does not wait for the end of its lease.
      if (this.#stopping.signal.aborted) await queue.postpone(slug, now()).catch(() => undefined);
      else logger.warn('a deep scan failed, will retry', { slug, ...errorFields(error) });
    }
  }

  /** Undefined if the link is postponed. */
  async #follow(link: ClaimedDeepScan): Promise<Followed | undefined> {
    const { database, inspector, policy, logger } = this.#deps;
    const { signal } = this.#stopping;
    const current = database();
    if (current === undefined) return await this.#postpone(link);
    try {
      return await followLink(
        {
          ...this.#deps,
          inspector: { inspect: (url, withinMs) => untilAborted(inspector.inspect(url, withinMs), signal) },
          judge: (url) => judge(url, { ...current, policy }),
          isOwn: (url) => isOwn(url, policy),
          onePerSite: (site, request) => this.#sites.run(site, request),
        },
        link.destinationUrl,
      );
    } catch (error) {
      if (signal.aborted) throw error;
      if (!(error instanceof NotFollowed)) logger.warn('no response from the inspector', errorFields(error));
      if (link.attempts < this.#retries.attempts)
        return await this.#postpone(link, error instanceof SiteBusy ? error.site : undefined);
      return notFollowed(error instanceof NotFollowed ? error.message : 'no response from the inspector');
    }
  }

  async #postpone({ slug, attempts }: ClaimedDeepScan, busySite?: string): Promise<undefined> {
    const { queue, now } = this.#deps;
    await queue.postpone(slug, new Date(now().getTime() + backOffMs(this.#retries, attempts)), busySite);
  }

  async #report(links: readonly ScannedLink[], followed: Followed): Promise<void> {
    const events = links.flatMap((link) => this.#eventsOf(link, followed));
    await this.#deps.bus.publishEncoded(
      VERDICTS,
      events.map((event) => encoded(VERDICTS, event)),
    );
  }

  #eventsOf(link: ScannedLink, { threatType, flags, reasons, ends }: Followed): VerdictEvent[] {
    const { database, previewFirst, now } = this.#deps;
    const threat = { threat_type: threatType ?? 'suspicious', reasons, generation: database()?.generation ?? '' };
    const done: VerdictEvent = {
      ...verdictEvent('deep_scan.done', link, threat, now()),
      outcome: flags ? 'flagged' : threatType === null ? 'clean' : 'warned',
      // As at creation, only a link to another shortener has the page.
      preview_first: !ends && previewFirst && this.#isShort(link.destinationUrl),
    };
    return flags ? [verdictEvent('threat.found', link, threat, now()), done] : [done];
  }

  #isShort(url: string): boolean {
    const { database, policy } = this.#deps;
    const current = database();
    return current !== undefined && isShortener(judge(url, { ...current, policy }));
  }
}

function isOwn(url: string, policy: UrlPolicy): boolean {
  return !checkDestinationUrl(url, policy).ok && checkDestinationUrl(url, { ...policy, ownHosts: [] }).ok;
}

function notFollowed(why: string): Followed {
  const reasons = [{ rule: 'not-followed', evidence: evidenceText(`the final destination is unknown: ${why}`) }];
  return { threatType: 'suspicious', flags: false, reasons, ends: false };
}
