/** One request to the REST API, with the document's retry guidance: back-off with jitter, `Retry-After` respected. */
import { safeText, UsageError } from '@waypost/command-line';
import { ApiError } from './errors.ts';
import type { Terminal } from './terminal.ts';

export interface ApiRequest {
  readonly method: 'GET' | 'POST';
  /** Below `/api/v1`, with its query. */
  readonly path: string;
  readonly body?: unknown;
  /** One for all tries, so that a retry never makes two. */
  readonly idempotencyKey?: string;
}

export interface Answer {
  readonly body: unknown;
  readonly headers: Headers;
}

export type Api = (request: ApiRequest) => Promise<Answer>;

const TRIES = 3;
/** In all, over all waits. */
const MAX_WAIT_MS = 30_000;
const FIRST_WAIT_MS = 500;
/** The API promises an answer within 5 s; the rest is for the way. */
const TRY_TIMEOUT_MS = 10_000;

export interface Connection {
  /** Without a trailing slash. */
  readonly url: string;
  readonly key: string;
}

const DEFAULT_URL = 'http://localhost:8080';

/** From `WAYPOST_URL` and `WAYPOST_API_KEY`. Neither is repeated in an error: either could hold a secret. */
export function readConnection(environment: NodeJS.ProcessEnv): Connection {
  const given = (environment.WAYPOST_URL ?? '').trim() || DEFAULT_URL;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError('WAYPOST_URL must be an address such as https://links.example.com.');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new UsageError('WAYPOST_URL must hold no user name, password, query or fragment.');
  }
  const key = (environment.WAYPOST_API_KEY ?? '').trim();
  if (key === '') {
    throw new UsageError('Set WAYPOST_API_KEY to an API key: this command asks the API, which wants one.');
  }
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError('WAYPOST_API_KEY is not an API key.');
  let address = url.href;
  while (address.endsWith('/')) address = address.slice(0, -1);
  return { url: address, key };
}

export function connect({ url, key }: Connection, terminal: Terminal): Api {
  return async (request) => {
    let leftMs = MAX_WAIT_MS;
    let outcomeUnknown = false;
    for (let attempt = 1; ; attempt++) {
      const tried = await tryOnce(url, key, request);
      if (!('failure' in tried)) return tried;
      const { failure, retry, retryAfterMs } = tried;
      outcomeUnknown ||= failure.outcomeUnknown;
      const stop = (message: string) =>
        new ApiError(message, {
          status: failure.status,
          details: { ...failure.details },
          ...(failure.errorId === undefined ? {} : { errorId: failure.errorId }),
          outcomeUnknown,
        });
      if (!retry) throw stop(failure.message);
      const tries = attempt === 1 ? '' : ` Tried ${attempt} times.`;
      if (attempt === TRIES) throw stop(`${failure.message}${tries}${inSeconds(retryAfterMs)}`);
      const backOffMs = FIRST_WAIT_MS * 2 ** (attempt - 1) * (1 + terminal.random());
      // Jitter also on top of Retry-After: all who were told the same second would come back in it.
      const waitMs = Math.max(backOffMs, retryAfterMs === undefined ? 0 : retryAfterMs + terminal.random() * 250);
      if (waitMs > leftMs) throw stop(`${failure.message}${tries}${inSeconds(retryAfterMs)}`);
      terminal.err(
        `${safeText(failure.message)} Trying again in ${(waitMs / 1000).toFixed(1)} s (${attempt + 1} of ${TRIES}).\n`,
      );
      await terminal.sleep(waitMs);
      leftMs -= waitMs;
    }
  };
}

function inSeconds(retryAfterMs: number | undefined): string {
  if (retryAfterMs === undefined) return '';
  const seconds = Math.ceil(retryAfterMs / 1000);
  return ` Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
}

interface Failed {
  readonly failure: ApiError;
  readonly retry: boolean;
  readonly retryAfterMs: number | undefined;
}

async function tryOnce(url: string, key: string, request: ApiRequest): Promise<Answer | Failed> {
  const { method, path, body, idempotencyKey } = request;
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        Accept: 'application/json',
        'User-Agent': 'waypost-cli',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A redirect would turn a POST into a GET, or carry the key elsewhere.
      redirect: 'manual',
      signal: AbortSignal.timeout(TRY_TIMEOUT_MS),
    });
    text = await response.text();
  } catch (error) {
    const failure = new ApiError(`${url} did not answer: ${networkWords(error)}.`, { outcomeUnknown: true });
    return { failure, retry: true, retryAfterMs: undefined };
  }
  const { status, headers } = response;
  const answer = parseJson(text);
  if (response.ok && answer !== undefined) return { body: answer, headers };

  const retryAfterMs = parseRetryAfter(headers.get('Retry-After'));
  // 409 with Retry-After: the first try of this very request still runs.
  const retry = status === 429 || status >= 500 || (status === 409 && retryAfterMs !== undefined);
  return { failure: failureOf(status, headers, answer, url), retry, retryAfterMs };
}

function failureOf(status: number, headers: Headers, answer: unknown, url: string): ApiError {
  const outcomeUnknown = status >= 500;
  if (status >= 300 && status < 400) {
    const to = headers.get('Location') ?? 'elsewhere';
    return new ApiError(`${url} sends on to ${to}: set WAYPOST_URL to where the API is.`, { status });
  }
  const error = isRecord(answer) ? answer : {};
  if (typeof error.message !== 'string') {
    const words = `${url} answered ${status}, but not as a Waypost does: is WAYPOST_URL right?`;
    return new ApiError(words, { status, outcomeUnknown });
  }
  return new ApiError(error.message, {
    status,
    outcomeUnknown,
    ...(isRecord(error.details) ? { details: error.details } : {}),
    ...(typeof error.error_id === 'string' ? { errorId: error.error_id } : {}),
  });
}

function networkWords(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `nothing came for ${TRY_TIMEOUT_MS / 1000} s`;
  const cause = (error as { cause?: { code?: string; message?: string } }).cause;
  const words: Record<string, string> = {
    ECONNREFUSED: 'nothing listens there',
    ECONNRESET: 'the connection broke',
    UND_ERR_SOCKET: 'the connection broke',
    ENOTFOUND: 'there is no such host',
    EAI_AGAIN: 'its name could not be looked up',
  };
  const code = cause?.code ?? '';
  return words[code] ?? cause?.message ?? (error instanceof Error ? error.message : String(error));
}

/** Seconds, or, by a proxy on the way, a date. */
function parseRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  if (/^\s*\d{1,9}\s*$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
