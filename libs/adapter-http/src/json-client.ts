import { parsedJson } from '@waypost/domain';
import { inClientSpan, traceparent } from '@waypost/telemetry';
import { Agent, interceptors, request } from 'undici';

export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The parsed JSON. Undefined if the body is not JSON. */
  readonly body: unknown;
}

const CONNECTIONS_MAX = 64;
const KEEP_MS = 30_000;

/** A server may close an idle connection, which causes these errors. The request is then sent again. */
const CLOSED = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/**
 * Sends JSON over keep-alive connections. Paths are relative to `url`. Use it only for requests that change nothing,
 * because a request may reach the server twice.
 */
export function jsonClient({ url, answerMaxBytes }: { url: string; answerMaxBytes: number }) {
  const base = new URL(url.endsWith('/') ? url : `${url}/`);
  const dispatcher = new Agent({
    connections: CONNECTIONS_MAX,
    keepAliveTimeout: KEEP_MS,
    maxResponseSize: answerMaxBytes,
  }).compose(
    interceptors.retry({ maxRetries: 1, minTimeout: 0, methods: ['GET', 'POST'], statusCodes: [], errorCodes: CLOSED }),
  );
  const server = {
    'server.address': base.hostname,
    'server.port': Number(base.port || (base.protocol === 'https:' ? 443 : 80)),
  };

  /** Rejects if no complete response arrives within `timeoutMs`. */
  const send = (method: 'GET' | 'POST', path: string, body: unknown, timeoutMs: number): Promise<Answer> =>
    inClientSpan(method, { 'http.request.method': method, 'url.path': path, ...server }, async (add) => {
      const parent = traceparent();
      const headers = {
        accept: 'application/json',
        ...(parent !== undefined && { traceparent: parent }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      };
      const target = new URL(path.replace(/^\//, ''), base);
      const signal = AbortSignal.timeout(timeoutMs);
      const options = { method, dispatcher, headers, signal, body: body === undefined ? null : JSON.stringify(body) };
      try {
        const response = await request(target, options);
        const text = await response.body.text();
        add({ 'http.response.status_code': response.statusCode });
        const retryAfter = response.headers['retry-after']?.toString();
        return { status: response.statusCode, retryAfter, body: parsedJson(text) };
      } catch (error) {
        if (signal.aborted) throw new Error(`no complete response within ${timeoutMs} ms`, { cause: error });
        throw error;
      }
    });

  return { send, stop: () => void dispatcher.destroy() };
}
