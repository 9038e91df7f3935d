/** One request to the API: retries, time limit, and what its answer means. */
import { type Quota, WaypostError } from './errors.ts';

export interface WaypostOptions {
  /** Where the API is; `http://localhost:8080` unless it is given. */
  readonly url?: string | undefined;
  readonly apiKey: string;
  /** How long one try may take, in milliseconds; 10,000 unless it is given: the API promises an answer within 5 s. */
  readonly timeoutMs?: number | undefined;
  /** How often a try that may succeed later is repeated: after 429, 5xx, or without an answer. 5 unless it is given. */
  readonly retries?: number | undefined;
  /** How long all waits of one call may be, in milliseconds; 30,000 unless it is given. */
  readonly maxWaitMs?: number | undefined;
  /** Told before each wait. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Instead of the global one. */
  readonly fetch?: typeof fetch | undefined;
  /** Who calls, in the header `User-Agent`. */
  readonly userAgent?: string | undefined;
  /** Waits; rejects when the signal aborts. For tests. */
  readonly sleep?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined;
  /** From 0 to 1. For tests. */
  readonly random?: (() => number) | undefined;
}

export interface Retry {
  readonly error: WaypostError;
  readonly waitMs: number;
  /** Of the coming try, from 2. */
  readonly attempt: number;
  readonly attempts: number;
}

export interface CallOptions {
  /** Ends the call, its waits included. */
  readonly signal?: AbortSignal | undefined;
  /** As that of the client, for this call. */
  readonly timeoutMs?: number | undefined;
}

export interface Call extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the address of the API. */
  readonly path: string;
  readonly body?: unknown;
  /** One for all tries. */
  readonly idempotencyKey?: string | undefined;
  /** Not tried again where it may have taken effect. */
  readonly once?: true;
  /** An error status that is an answer here. */
  readonly answersWith?: number;
}

/** Resolves to the JSON of the answer. */
export type Request = (call: Call) => Promise<unknown>;

const FIRST_WAIT_MS = 1_500;
const LONGEST_WAIT_MS = 10_000;

export function requester(options: WaypostOptions): Request {
  const { retries = 5, maxWaitMs = 30_000, random = Math.random, onRetry } = options;
  const wait = options.sleep ?? sleep;
  const url = addressOf(options.url);

  return async (call) => {
    let leftMs = maxWaitMs;
    let outcomeUnknown = false;
    for (let attempt = 1; ; attempt++) {
      const tried = await tryOnce(url, options, call);
      if (!(tried instanceof WaypostError)) return tried;
      outcomeUnknown ||= tried.outcomeUnknown;
      const error = new WaypostError(tried.message, { ...tried, cause: tried.cause, outcomeUnknown }, attempt);
      if (!mayPass(error) || attempt > retries || (call.once && error.outcomeUnknown)) throw error;
      const { retryAfter } = error;
      // Full jitter; also on top of Retry-After: all who were told the same second would come back in it.
      const backOffMs = random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
      const waitMs = Math.max(backOffMs, retryAfter === undefined ? 0 : retryAfter * 1000 + random() * 250);
      if (waitMs > leftMs) throw error;
      onRetry?.({ error, waitMs, attempt: attempt + 1, attempts: retries + 1 });
      await wait(waitMs, call.signal);
      leftMs -= waitMs;
    }
  };
}

/** A 409 with `Retry-After`: the first try of this very request still runs. */
function mayPass({ code, status, retryAfter }: WaypostError): boolean {
  return code === 'no_answer' || status === 429 || status >= 500 || (status === 409 && retryAfter !== undefined);
}

/** Without a trailing slash. */
function addressOf(url = 'http://localhost:8080'): string {
  return url.replace(/(?<!\/)\/+$/, '');
}

async function tryOnce(url: string, options: WaypostOptions, call: Call): Promise<unknown> {
  const { method, path, body, idempotencyKey, signal } = call;
  const timeoutMs = call.timeoutMs ?? options.timeoutMs ?? 10_000;
  const send = options.fetch ?? fetch;
  signal?.throwIfAborted();
  // AbortSignal.any() is missing in Node 18.
  const stop = new AbortController();
  const abort = () => stop.abort();
  const timer = setTimeout(abort, timeoutMs);
  signal?.addEventListener('abort', abort);
  try {
    const response = await send(`${url}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${options.apiKey}`,
        Accept: 'application/json',
        'User-Agent': options.userAgent ?? 'waypost-sdk',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A redirect would turn a POST into a GET, or carry the key elsewhere.
      redirect: 'manual',
      signal: stop.signal,
    });
    const answer = parseJson(await response.text());
    const expected = response.ok || response.status === call.answersWith;
    return expected && answer !== undefined ? answer : errorOf(url, response, answer, quotaOf(response.headers));
  } catch (cause) {
    signal?.throwIfAborted();
    const why = stop.signal.aborted ? `nothing came for ${timeoutMs / 1000} s` : networkWords(cause);
    return noAnswer(url, why, cause);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

export function noAnswer(url: string, why: string, cause?: unknown): WaypostError {
  return new WaypostError(`${url} did not answer: ${why}.`, { code: 'no_answer', outcomeUnknown: true, cause });
}

/** What an answer says that is no success. `answer` is its JSON, undefined if it has none. */
export function errorOf(url: string, { status, headers }: Response, answer: unknown, quota?: Quota): WaypostError {
  const retryAfter = secondsOf(headers.get('Retry-After'));
  const known = { status, retryAfter, quota, outcomeUnknown: status >= 500 };
  if (status >= 300 && status < 400) {
    const to = headers.get('Location') ?? 'elsewhere';
    return new WaypostError(`${url} sends on to ${to}.`, { ...known, code: 'redirected' });
  }
  const { error, message, details, error_id: errorId } = isRecord(answer) ? answer : {};
  if (typeof error !== 'string' || typeof message !== 'string') {
    return new WaypostError(`${url} answered ${status}, but not as Waypost does.`, { ...known, code: 'not_waypost' });
  }
  return new WaypostError(message, {
    ...known,
    code: error,
    details: isRecord(details) ? details : {},
    errorId: typeof errorId === 'string' ? errorId : undefined,
  });
}

function quotaOf(headers: Headers): Quota | undefined {
  const [limit, used, remaining, reset] = ['Limit', 'Used', 'Remaining', 'Reset'].map((name) =>
    Number(headers.get(`X-RateLimit-${name}`) ?? Number.NaN),
  ) as [number, number, number, number];
  return [limit, used, remaining, reset].every(Number.isFinite)
    ? { limit, used, remaining, resetAt: new Date(reset * 1000) }
    : undefined;
}

/** From seconds, or, by a proxy on the way, a date. */
function secondsOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  if (/^\s*\d{1,9}\s*$/.test(retryAfter)) return Number(retryAfter);
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}

const NETWORK_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection broke',
  UND_ERR_SOCKET: 'the connection broke',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its name could not be looked up',
};

export function networkWords(error: unknown): string {
  const cause = isRecord(error) && error.cause !== undefined ? error.cause : error;
  const { code, message } = isRecord(cause) ? cause : {};
  return NETWORK_WORDS[String(code)] ?? (typeof message === 'string' ? message : String(cause));
}

/** Undefined for what is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
