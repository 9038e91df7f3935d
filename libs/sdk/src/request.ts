import type { Operations } from './api-types.ts';
import { type Quota, WaypostError } from './errors.ts';

export interface WaypostOptions {
  /** The address of the API. The default is `http://localhost:8080`. */
  readonly url?: string | undefined;
  readonly apiKey: string;
  /** The time limit of one attempt in milliseconds. The default is 10,000: the API answers within 5 s. */
  readonly timeoutMs?: number | undefined;
  /** How often the client retries after 429, 5xx or no response. The default is 5. */
  readonly retries?: number | undefined;
  /** The limit for the sum of all waits of one call, in milliseconds. The default is 30,000. */
  readonly maxWaitMs?: number | undefined;
  /** Called before each wait. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** The value of the `User-Agent` header. */
  readonly userAgent?: string | undefined;
  /** Resolves after `ms`, and rejects when the signal aborts. Tests replace it. */
  readonly sleep?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined;
  /** Returns a number from 0 to 1. Tests replace it. */
  readonly random?: (() => number) | undefined;
}

export interface Retry {
  readonly error: WaypostError;
  readonly waitMs: number;
  /** The number of the next attempt, from 2. */
  readonly attempt: number;
  readonly attempts: number;
}

export interface CallOptions {
  /** Aborts the call, also during its waits. */
  readonly signal?: AbortSignal | undefined;
  /** Replaces the time limit of the client for this call, in milliseconds. */
  readonly timeoutMs?: number | undefined;
}

export interface Call extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path relative to the address of the API. */
  readonly path: string;
  readonly body?: unknown;
  readonly idempotencyKey?: string | undefined;
  /** If true, the call is not retried when it may have taken effect. */
  readonly once?: true;
  /** If true, the answer is a picture, and the call resolves to its bytes. */
  readonly bytes?: true;
  /** An error status that is a valid answer to this call, such as 503 for readiness. */
  readonly answersWith?: number;
}

export interface InputOf<Id extends keyof Operations> extends Omit<Call, 'method' | 'path' | 'body'> {
  readonly path?: Operations[Id]['path'];
  readonly query?: Operations[Id]['query'];
  readonly body?: Operations[Id]['body'];
}

export type Request = (call: Call) => Promise<unknown>;

const FIRST_WAIT_MS = 1_500;
const LONGEST_WAIT_MS = 10_000;

export function requester(options: WaypostOptions): Request {
  const { retries = 5, maxWaitMs = 30_000, random = Math.random, onRetry } = options;
  const wait = options.sleep ?? sleep;
  const url = (options.url ?? 'http://localhost:8080').replace(/(?<!\/)\/+$/, '');

  return async (call) => {
    let leftMs = maxWaitMs;
    let outcomeUnknown = false;
    for (let attempt = 1; ; attempt++) {
      const outcome = await tryOnce(url, options, call);
      if (!(outcome instanceof WaypostError)) return outcome;
      outcomeUnknown ||= outcome.outcomeUnknown;
      const error = new WaypostError(outcome.message, { ...outcome, cause: outcome.cause, outcomeUnknown }, attempt);
      if (!mayPass(error) || attempt > retries || (call.once && error.outcomeUnknown)) throw error;
      const { retryAfter } = error;
      // A random time is added to Retry-After, too. Otherwise all clients with the same value would return at the same
      // time.
      const backOffMs = random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
      const waitMs = Math.max(backOffMs, retryAfter === undefined ? 0 : retryAfter * 1000 + random() * 250);
      if (waitMs > leftMs) throw error;
      onRetry?.({ error, waitMs, attempt: attempt + 1, attempts: retries + 1 });
      await wait(waitMs, call.signal);
      leftMs -= waitMs;
    }
  };
}

/** A 409 with `Retry-After` means that the first attempt of this request still runs. */
function mayPass({ code, status, retryAfter }: WaypostError): boolean {
  return code === 'no_answer' || status === 429 || status >= 500 || (status === 409 && retryAfter !== undefined);
}

async function tryOnce(url: string, options: WaypostOptions, call: Call): Promise<unknown> {
  const { method, path, body, idempotencyKey, signal } = call;
  const timeoutMs = call.timeoutMs ?? options.timeoutMs ?? 10_000;
  const send = options.fetch ?? fetch;
  signal?.throwIfAborted();
  // Node 18 has no AbortSignal.any().
  const stop = new AbortController();
  const abort = () => stop.abort();
  const timer = setTimeout(abort, timeoutMs);
  signal?.addEventListener('abort', abort);
  try {
    const response = await send(`${url}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${options.apiKey}`,
        Accept: call.bytes ? 'image/*, application/json' : 'application/json',
        'User-Agent': options.userAgent ?? 'waypost-sdk',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A redirect would turn a POST into a GET, or send the key to another server.
      redirect: 'manual',
      signal: stop.signal,
    });
    if (call.bytes && response.headers.get('Content-Type')?.startsWith('image/'))
      return new Uint8Array(await response.arrayBuffer());
    const answer = parseJson(await response.text());
    const expected = response.ok || response.status === call.answersWith;
    return expected && answer !== undefined ? answer : errorOf(url, response, answer, quotaOf(response.headers));
  } catch (cause) {
    signal?.throwIfAborted();
    const why = stop.signal.aborted ? `no response within ${timeoutMs / 1000} s` : networkWords(cause);
    return noAnswer(url, why, cause);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

export function noAnswer(url: string, why: string, cause?: unknown): WaypostError {
  return new WaypostError(`${url} did not respond: ${why}.`, { code: 'no_answer', outcomeUnknown: true, cause });
}

/** Converts an unsuccessful response to an error. `answer` is its JSON, or undefined if it is not JSON. */
export function errorOf(url: string, { status, headers }: Response, answer: unknown, quota?: Quota): WaypostError {
  const retryAfter = secondsOf(headers.get('Retry-After'));
  const requestId = headers.get('X-Request-Id') ?? undefined;
  const facts = { status, retryAfter, quota, requestId, outcomeUnknown: status >= 500 };
  if (status >= 300 && status < 400) {
    const to = headers.get('Location') ?? 'elsewhere';
    return new WaypostError(`${url} redirects to ${to}. Set the URL of the API itself.`, {
      ...facts,
      code: 'redirected',
    });
  }
  const { error, message, details, error_id: errorId } = isRecord(answer) ? answer : {};
  if (typeof error !== 'string' || typeof message !== 'string') {
    return new WaypostError(`${url} returned status ${status}, but not a response of Waypost. Check the URL.`, {
      ...facts,
      code: 'not_waypost',
    });
  }
  return new WaypostError(message, {
    ...facts,
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

/** Returns seconds. The header may contain a date instead, for example from a proxy. */
function secondsOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  if (/^\s*\d{1,9}\s*$/.test(retryAfter)) return Number(retryAfter);
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}

const NETWORK_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  ENOTFOUND: 'the host does not exist',
  EAI_AGAIN: 'the host name could not be resolved',
};

export function networkWords(error: unknown): string {
  const cause = isRecord(error) && error.cause !== undefined ? error.cause : error;
  const { code, message } = isRecord(cause) ? cause : {};
  return NETWORK_WORDS[String(code)] ?? (typeof message === 'string' ? message : String(cause));
}

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
