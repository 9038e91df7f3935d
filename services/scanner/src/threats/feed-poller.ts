/** Polls the feeds. A failing feed keeps its last entries, is polled less and less often, and reports its error. */

import { hash } from 'node:crypto';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Background, background, within } from '@waypost/resilience';
import { errorFields, type Logger, warnOfRetries } from '@waypost/telemetry';
import { type FeedSource, sourceId } from './feeds/feed-source.ts';
import { FETCH_LIMITS, type FetchLimits, FetchProblem, fetchFeed } from './feeds/fetch-feed.ts';
import { BadFeed, type ImportedFeed, type PolledUpdate } from './import-feed.ts';
import type { ScannerState } from './scanner-state.ts';
import { type ThreatStore, withPoll } from './threat-store.ts';

interface Deps {
  readonly sources: readonly FeedSource[];
  readonly store: Pick<ThreatStore, 'state' | 'update'>;
  readonly importFeed: (file: string, source: FeedSource, update: PolledUpdate) => Promise<ImportedFeed>;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly limits?: FetchLimits;
}

/** The first round is spread over a minute, so that replicas that start together do not poll together. */
const FIRST_WITHIN_MS = 60_000;
const FIRST_RETRY_MS = 60_000;
const STOP_WITHIN_MS = 2_000;
const JITTER = 0.1;
/** A larger change of a feed's size makes the update count as broken. */
const FEWEST = 0.5;
const MOST = 5;

export function feedPoller(deps: Deps) {
  const { sources, store, logger, now, limits = FETCH_LIMITS } = deps;
  const stopping = new AbortController();

  /** Never rejects: the state has the error. */
  async function poll(source: FeedSource): Promise<'updated' | 'unchanged' | 'failed'> {
    try {
      await using folder = await mkdtempDisposable(join(tmpdir(), 'waypost-feed-'));
      return await update(source, join(folder.path, 'feed'));
    } catch (error) {
      if (stopping.signal.aborted) return 'failed';
      logger.warn('a feed was not updated, will retry', { feed: source.name, ...faultFields(error) });
      await record(source, { lastError: problemOf(error) }).catch((cause: unknown) =>
        logger.error('the state of a feed could not be stored', { feed: source.name, ...errorFields(cause) }),
      );
      return 'failed';
    }
  }

  /** Asks the mirrors in order, until one has a list that the guards accept. */
  async function update(source: FeedSource, file: string): Promise<'updated' | 'unchanged'> {
    const problems: string[] = [];
    for (const url of source.urls) {
      try {
        return await updateFrom(url, source, file);
      } catch (error) {
        if (stopping.signal.aborted || source.urls.length === 1 || !isOfMirror(error)) throw error;
        const mirror = problems.push(problemOf(error));
        logger.warn('a mirror of a feed has no valid list', { feed: source.name, mirror, ...faultFields(error) });
      }
    }
    throw new FetchProblem(problems.map((problem, at) => `${problem} (mirror ${at + 1})`).join('; '));
  }

  async function updateFrom(url: string, source: FeedSource, file: string): Promise<'updated' | 'unchanged'> {
    const last = store.state().polls[source.name];
    const mirror = hash('sha256', url, 'hex');
    // "Not changed" says nothing if the last update came from another source or mirror.
    const isSame = last?.source === sourceId(source) && last.mirror === mirror;
    const validators = isSame ? last : { etag: null, lastModified: null };
    const fetched = await fetchFeed({ ...source, url }, file, validators, stopping.signal, limits);
    const confirmedAt = now().toISOString();
    if (fetched === undefined) {
      await record(source, { confirmedAt, lastError: null });
      return 'unchanged';
    }
    const polled = { ...fetched, confirmedAt, source: sourceId(source), mirror };
    await deps.importFeed(file, source, { ...boundsFor(source, store.state()), record: polled });
    return 'updated';
  }

  function record(source: FeedSource, poll: PolledUpdate['record']): Promise<void> {
    return store.update((state) => withPoll(state, source.name, poll));
  }

  function rounds(source: FeedSource, spreadMs: number): Background {
    let isFirst = true;
    let failures = 0;
    return background({
      async work() {
        if (isFirst) {
          isFirst = false;
          return firstDelay(source, store.state(), now()) + Math.random() * spreadMs;
        }
        failures = (await poll(source)) === 'failed' ? failures + 1 : 0;
        return delayAfter(source, failures);
      },
      onFailure: warnOfRetries(logger, `polling the feed ${source.name}`),
    });
  }

  let polling: readonly Background[] = [];
  return {
    poll,
    start(spreadMs = FIRST_WITHIN_MS) {
      polling = sources.map((source) => rounds(source, spreadMs));
      for (const each of polling) each.start();
    },
    async stop(): Promise<void> {
      stopping.abort();
      // A running import may take seconds, and only a complete one takes effect.
      await within(Promise.all(polling.map((each) => each.stop())), STOP_WITHIN_MS, undefined);
    },
  };
}

/** Compares only with an earlier update from the same source, because data from elsewhere differs in size. */
function boundsFor(source: FeedSource, { feeds, polls }: ScannerState): Pick<PolledUpdate, 'bounds'> {
  const before = feeds.find(({ name }) => name === source.name);
  if (before?.origin !== 'poll' || polls[source.name]?.source !== sourceId(source)) return {};
  return { bounds: { fewest: Math.floor(before.entries * FEWEST), most: Math.ceil(before.entries * MOST) } };
}

function delayAfter({ everyMs }: FeedSource, failures: number): number {
  const base = failures === 0 ? everyMs : Math.min(everyMs, FIRST_RETRY_MS * 2 ** (failures - 1));
  return Math.min(base * (1 - JITTER + 2 * JITTER * Math.random()), LONGEST_TIMER_MS);
}

/** A restart does not change the time at which a feed is due. A new source does. */
function firstDelay(source: FeedSource, { polls }: ScannerState, now: Date): number {
  const { everyMs } = source;
  const last = polls[source.name];
  const isSame = last?.confirmedAt != null && last.source === sourceId(source);
  const dueMs = isSame ? Date.parse(last.confirmedAt) + everyMs - now.getTime() : 0;
  return Math.min(Math.max(dueMs, 0), everyMs, LONGEST_TIMER_MS);
}

/** The fault is the mirror's, so another one may do better. */
function isOfMirror(error: unknown): boolean {
  return error instanceof FetchProblem || error instanceof BadFeed;
}

/** The log names the first bad lines. */
const faultFields = (error: unknown) => ({
  ...errorFields(error),
  ...(error instanceof BadFeed && { details: error.details }),
});

/** The state is public, so the text contains nothing that the server sent. */
function problemOf(error: unknown): string {
  if (error instanceof FetchProblem) return error.message;
  return error instanceof BadFeed ? `the list ${error.problem}` : 'the update failed; the log says why';
}

/** setTimeout wraps beyond 2^31 ms; half of that is twelve days. */
const LONGEST_TIMER_MS = 2 ** 30;
