/**
 * Keeps the feeds fresh. A failing feed keeps its last entries, is polled less and less often, and reports its error.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Background, background, within } from '@waypost/resilience';
import { errorFields, type Logger, warnOfRetries } from '@waypost/telemetry';
import { type ThreatStore, withPoll } from '../threat-index/threat-store.ts';
import { BadFeed, type ImportedFeed, type PolledUpdate } from '../use-cases/import-feed.ts';
import { type FeedSource, sourceId } from './feed-source.ts';
import { FETCH_LIMITS, type FetchLimits, FetchProblem, fetchFeed } from './fetch-feed.ts';

interface Deps {
  readonly sources: readonly FeedSource[];
  readonly store: Pick<ThreatStore, 'state' | 'update'>;
  readonly importFeed: (file: string, source: FeedSource, update: PolledUpdate) => Promise<ImportedFeed>;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly limits?: FetchLimits;
}

export interface Poller {
  /** Polls what is due, spread over this time. */
  start(spreadMs?: number): void;
  stop(): Promise<void>;
  /** Polls one feed now. Never rejects: the state has the error. */
  poll(source: FeedSource): Promise<'updated' | 'unchanged' | 'failed'>;
}

/** The first round is spread over a minute, so that replicas that start together do not poll together. */
const FIRST_WITHIN_MS = 60_000;
const FIRST_RETRY_MS = 60_000;
const STOP_WITHIN_MS = 2_000;
const JITTER = 0.1;
/** An update with fewer or more entries than these multiples of the previous one counts as broken. */
const FEWEST = 0.5;
const MOST = 5;

export function feedPoller(deps: Deps): Poller {
  const { sources, store, logger, now, limits = FETCH_LIMITS } = deps;
  const stopping = new AbortController();

  async function poll(source: FeedSource): Promise<'updated' | 'unchanged' | 'failed'> {
    try {
      return await inTemporaryFolder((folder) => update(source, join(folder, 'feed')));
    } catch (error) {
      if (stopping.signal.aborted) return 'failed';
      logger.warn('feed not updated', { feed: source.name, ...errorFields(error) });
      await remember(source, { lastError: problemOf(error) }).catch((cause: unknown) =>
        logger.error('feed state not stored', { feed: source.name, ...errorFields(cause) }),
      );
      return 'failed';
    }
  }

  async function update(source: FeedSource, file: string): Promise<'updated' | 'unchanged'> {
    const last = store.state().polls[source.name];
    // "Not changed" says nothing where the last update came from another source.
    const validators = last?.source === sourceId(source) ? last : { etag: null, lastModified: null };
    const fetched = await fetchFeed(source, file, validators, stopping.signal, limits);
    const confirmedAt = now().toISOString();
    if (fetched === undefined) {
      await remember(source, { confirmedAt, lastError: null });
      return 'unchanged';
    }
    const record = { ...fetched, confirmedAt, source: sourceId(source) };
    await deps.importFeed(file, source, { ...boundsFor(source), record });
    return 'updated';
  }

  function remember(source: FeedSource, record: PolledUpdate['record']): Promise<void> {
    return store.update((state) => withPoll(state, source.name, record));
  }

  /** Compares only with an earlier update from the same source: others, and shipped and imported data, differ in size. */
  function boundsFor(source: FeedSource): Pick<PolledUpdate, 'bounds'> {
    const { feeds, polls } = store.state();
    const before = feeds.find(({ name }) => name === source.name);
    if (before?.origin !== 'poll' || polls[source.name]?.source !== sourceId(source)) return {};
    return { bounds: { fewest: Math.floor(before.entries * FEWEST), most: Math.ceil(before.entries * MOST) } };
  }

  /** Polls the feed whenever it is due. */
  function rounds(source: FeedSource, spreadMs: number): Background {
    let isFirst = true;
    let failures = 0;
    return background({
      async work() {
        if (isFirst) {
          isFirst = false;
          return firstDelay(source, spreadMs);
        }
        failures = (await poll(source)) === 'failed' ? failures + 1 : 0;
        return delayAfter(source, failures);
      },
      onFailure: warnOfRetries(logger, `polling the feed ${source.name}`),
    });
  }

  function delayAfter({ everyMs }: FeedSource, failures: number): number {
    const base = failures === 0 ? everyMs : Math.min(everyMs, FIRST_RETRY_MS * 2 ** (failures - 1));
    return Math.min(base * (1 - JITTER + 2 * JITTER * Math.random()), LONGEST_TIMER_MS);
  }

  /** After a restart, a feed is due when it would have been due without it; at once if its source was changed. */
  function firstDelay(source: FeedSource, spreadMs: number): number {
    const { everyMs } = source;
    const last = store.state().polls[source.name];
    const isKnown = last?.confirmedAt != null && last.source === sourceId(source);
    const dueMs = isKnown ? Date.parse(last.confirmedAt) + everyMs - now().getTime() : 0;
    return Math.min(Math.max(dueMs, 0), everyMs, LONGEST_TIMER_MS) + Math.random() * spreadMs;
  }

  let polling: readonly Background[] = [];
  return {
    poll,
    start(spreadMs = FIRST_WITHIN_MS) {
      polling = sources.map((source) => rounds(source, spreadMs));
      for (const each of polling) each.start();
    },
    async stop() {
      stopping.abort();
      // A running import may take seconds. It is safe to abandon: only a complete one takes effect.
      await within(Promise.all(polling.map((each) => each.stop())), STOP_WITHIN_MS, undefined);
    },
  };
}

/** The error for the public state, without anything that the server sent. */
function problemOf(error: unknown): string {
  if (error instanceof FetchProblem) return error.message;
  return error instanceof BadFeed ? `the list ${error.problem}` : 'the update failed; the log says why';
}

/** setTimeout wraps beyond 2^31 ms; half of that is twelve days. */
const LONGEST_TIMER_MS = 2 ** 30;

async function inTemporaryFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'waypost-feed-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
