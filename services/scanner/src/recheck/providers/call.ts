/** One request to a provider, with limits on what a bad server could stretch. */
import type { IncomingMessage } from 'node:http';
import { type AllowedHosts, parsedJson } from '@waypost/domain';
import { codeOf, publicRequest } from '@waypost/public-request';
import { breaker } from '@waypost/resilience';
import type { Logger } from '@waypost/telemetry';
import type { ProviderStatus } from './provider.ts';

interface CallOptions {
  readonly name: string;
  readonly baseUrl: string;
  readonly perMinute: number;
  readonly logger: Pick<Logger, 'warn'>;
  /** The host of `baseUrl`, if it is not public. */
  readonly allowed: AllowedHosts;
}

export interface ProviderRequest {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Makes the request a POST. */
  readonly form?: Readonly<Record<string, string>>;
}

type Body = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export type Calls = ReturnType<typeof providerCalls>;

/** Its message contains no key, and nothing that the server sent. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable';
}

const TIMEOUT_MS = 2_000;
const MOST_BYTES = 1024 * 1024;
const FAILURES_IN_A_ROW = 5;
const PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 3_600_000;
const monotonicMs = () => performance.now();

export function providerCalls({ name, baseUrl, perMinute, logger, allowed }: CallOptions) {
  const circuit = breaker({ failuresInARow: FAILURES_IN_A_ROW, pauseMs: PAUSE_MS, monotonicMs });
  const mayCall = budget(perMinute);
  let requests = 0;
  let failures = 0;

  async function send<T>(request: ProviderRequest, read: (body: Body) => T, signal: AbortSignal): Promise<T> {
    const response = await publicRequest({
      url: new URL(baseUrl + request.path),
      headers: {
        'User-Agent': 'waypost-scanner/1',
        Accept: 'application/json',
        ...request.headers,
        ...(request.form === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }),
      },
      ...(request.form === undefined ? {} : { method: 'POST', body: new URLSearchParams(request.form).toString() }),
      allowed,
      signal,
    });
    if (response.statusCode !== 200) {
      response.destroy();
      throw new Refused(response.statusCode ?? 0, retryAfterMs(response.headers['retry-after']));
    }
    return read(await jsonOf(response));
  }

  return {
    /** Rejects with `ProviderUnavailable`, as `read` does for another kind of body, or as `signal` does. */
    async call<T>(request: ProviderRequest, read: (body: Body) => T, signal: AbortSignal): Promise<T> {
      if (circuit.leftMs() > 0) throw new ProviderUnavailable('is not called for a while, after failures');
      if (!mayCall())
        throw new ProviderUnavailable('has no requests left in this minute (PROVIDER_REQUESTS_PER_MINUTE)');
      requests += 1;
      try {
        const answer = await send(request, read, AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]));
        circuit.worked();
        return answer;
      } catch (cause) {
        signal.throwIfAborted();
        failures += 1;
        circuit.failed(cause instanceof Refused ? cause.pauseMs : undefined);
        const away =
          cause instanceof ProviderUnavailable ? cause : new ProviderUnavailable(`did not respond${codeOf(cause)}`);
        logger.warn('no response from a threat provider', { provider: name, problem: away.message });
        throw away;
      }
    },
    status: (): ProviderStatus => ({ name, requests, failures, open: circuit.isOpen }),
  };
}

class Refused extends ProviderUnavailable {
  readonly pauseMs: number | undefined;

  constructor(status: number, pauseMs: number | undefined) {
    super(`returned status ${status}`);
    this.pauseMs = pauseMs;
  }
}

function retryAfterMs(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,6}$/.test(header)
    ? Math.min(Number(header) * 1_000, LONGEST_PAUSE_MS)
    : undefined;
}

async function jsonOf(response: IncomingMessage): Promise<Body> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MOST_BYTES) throw new ProviderUnavailable('returned more than 1 MB');
    chunks.push(chunk);
  }
  const body = parsedJson(Buffer.concat(chunks).toString('utf8'));
  if (body === undefined) throw new ProviderUnavailable('did not return JSON');
  if (!isObject(body)) throw new ProviderUnavailable('did not return an object');
  return body;
}

function budget(perMinute: number): () => boolean {
  let start = Number.NEGATIVE_INFINITY;
  let used = 0;
  return () => {
    if (monotonicMs() - start >= 60_000) [start, used] = [monotonicMs(), 0];
    used += 1;
    return used <= perMinute;
  };
}
