import { isThreatType, type Reason, unavailable, type Verdict } from '@waypost/domain';
import type { OwnListing, ScanResult, ThreatFeed, ThreatFeeds } from '@waypost/ports';
import { breaker } from '@waypost/resilience';
import { type DependencyState, errorFields, type Logger } from '@waypost/telemetry';
import { type Answer, jsonClient } from './json-client.ts';

export interface HttpUrlScannerOptions {
  /** The base URL of the scanner, such as `http://scanner:8082`, without `/scan`. */
  readonly url: string;
  readonly logger: Logger;
  /** The time limit of a whole scan, because somebody waits for the new link. */
  readonly budgetMs?: number;
  /** Milliseconds of a monotonic clock. */
  readonly monotonicMs?: () => number;
}

export type HttpUrlScanner = ReturnType<typeof httpUrlScanner>;

const BUDGET_MS = 2_000;
const FAILURES_IN_A_ROW = 3;
const PAUSE_MS = 1_000;
/** A longer Retry-After is reduced to this, so that an overloaded scanner is asked again. */
const RETRY_AFTER_MAX_S = 30;
/** A response may have verdicts with reasons for 500 URLs of full length. */
const ANSWER_MAX_BYTES = 16 * 1024 * 1024;
const OUTCOMES: readonly unknown[] = ['clean', 'warned', 'flagged', 'refused'];

/**
 * Calls the scanner in another process, with one request for all URLs. A link must not be created without a scan, so
 * every failure is `unavailable`.
 */
export function httpUrlScanner(options: HttpUrlScannerOptions) {
  const { url, logger, budgetMs = BUDGET_MS, monotonicMs = () => performance.now() } = options;
  const client = jsonClient({ url, answerMaxBytes: ANSWER_MAX_BYTES });
  const scannerBreaker = breaker({ failuresInARow: FAILURES_IN_A_ROW, pauseMs: PAUSE_MS, monotonicMs });

  function failed(why: string, options: { cause?: unknown; retryAfterS?: number } = {}): never {
    const { cause, retryAfterS } = options;
    scannerBreaker.failed(retryAfterS === undefined ? undefined : 1_000 * retryAfterS);
    logger.warn('the scanner did not decide', { why, ...(cause === undefined ? {} : errorFields(cause)) });
    throw unavailable('The scanner is unavailable. Try again later.', cause ?? new Error(why), retryAfterS);
  }

  async function scan(urls: readonly string[]): Promise<ScanResult> {
    const leftMs = scannerBreaker.leftMs();
    if (leftMs > 0) {
      const cause = new Error('the scanner failed a moment ago');
      throw unavailable('The scanner is unavailable. Try again later.', cause, Math.max(1, Math.ceil(leftMs / 1_000)));
    }
    let answer: Answer;
    try {
      answer = await client.send('POST', '/scan', { urls }, budgetMs);
    } catch (error) {
      return failed('no response', { cause: error });
    }
    if (answer.status !== 200) {
      const retryAfterS = answer.status === 503 || answer.status === 429 ? seconds(answer.retryAfter) : undefined;
      return failed(`it returned status ${answer.status}`, retryAfterS === undefined ? {} : { retryAfterS });
    }
    const result = scanResult(answer.body, urls);
    if (result === undefined) return failed('its response is not valid');
    scannerBreaker.worked();
    return result;
  }

  const feeds: ThreatFeeds = {
    list: async () => {
      const answer = await client.send('GET', '/feeds', undefined, budgetMs).catch((cause: unknown) => {
        throw unavailable('The scanner is unavailable. Try again later.', cause);
      });
      const feeds = answer.status === 200 ? feedsIn(answer.body) : undefined;
      if (feeds === undefined)
        throw unavailable(
          'The scanner did not return its threat feeds. Try again later.',
          new Error(`it returned status ${answer.status}`),
        );
      return feeds;
    },
  };

  /** Checks that the scanner is ready to give verdicts. Never rejects. */
  async function health(): Promise<DependencyState> {
    try {
      const { status } = await client.send('GET', '/readyz', undefined, budgetMs);
      return status === 200 ? { ok: true } : { ok: false, detail: `it returned status ${status}` };
    } catch (error) {
      return { ok: false, detail: error instanceof Error ? error.message : String(error) };
    }
  }

  return { scan, feeds, health, stop: async () => client.stop() };
}

/** The scanner sends Retry-After in seconds only, never as a date. */
function seconds(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,9}$/.test(text)) return undefined;
  return Math.min(RETRY_AFTER_MAX_S, Math.max(1, Number(text)));
}

/** Returns undefined unless the body has one complete verdict for each URL, in order. */
function scanResult(body: unknown, urls: readonly string[]): ScanResult | undefined {
  if (!isObject(body) || typeof body.generation !== 'string' || body.generation === '') return undefined;
  const { generation, verdicts } = body;
  if (!Array.isArray(verdicts) || verdicts.length !== urls.length) return undefined;
  return verdicts.every((verdict, i) => isVerdict(verdict, urls[i]!)) ? { generation, verdicts } : undefined;
}

function isVerdict(value: unknown, url: string): value is Verdict {
  if (!isObject(value)) return false;
  const { outcome, threat_type, reasons } = value;
  const needsType = outcome === 'flagged' || outcome === 'warned';
  return (
    value.url === url &&
    OUTCOMES.includes(outcome) &&
    (needsType ? isThreatType(threat_type) : threat_type === null) &&
    Array.isArray(reasons) &&
    reasons.every(isReason)
  );
}

function isReason(value: unknown): value is Reason {
  return isObject(value) && typeof value.rule === 'string' && typeof value.evidence === 'string';
}

function feedsIn(body: unknown): readonly ThreatFeed[] | undefined {
  return isObject(body) && Array.isArray(body.feeds) && body.feeds.every(isFeed) ? body.feeds : undefined;
}

function isFeed(value: unknown): value is ThreatFeed {
  if (!isObject(value)) return false;
  const { name, entries, updated_at, age_seconds, stale, last_error, own_addresses, own_links, removal_url } = value;
  const isTextOrNull = (text: unknown) => text === null || typeof text === 'string';
  return (
    typeof name === 'string' &&
    typeof entries === 'number' &&
    isTextOrNull(updated_at) &&
    (age_seconds === null || typeof age_seconds === 'number') &&
    typeof stale === 'boolean' &&
    isTextOrNull(last_error) &&
    [own_addresses, own_links].every((list) => Array.isArray(list) && list.every(isOwnListing)) &&
    isTextOrNull(removal_url)
  );
}

function isOwnListing(value: unknown): value is OwnListing {
  return isObject(value) && typeof value.entry === 'string' && typeof value.since === 'string';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
