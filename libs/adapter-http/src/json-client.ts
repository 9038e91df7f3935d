import http from 'node:http';
import https from 'node:https';
import { type DependencyState, inClientSpan, traceparent } from '@waypost/telemetry';

export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** Undefined if the body is not JSON. */
  readonly body: unknown;
}

export interface JsonClient {
  /** Rejects unless a complete response arrives within the time. */
  send(method: 'GET' | 'POST', path: string, body: unknown, timeoutMs: number): Promise<Answer>;
  /** Whether a GET of the path is answered with 200. Never rejects. */
  health(path: string, timeoutMs: number): Promise<DependencyState>;
  stop(): void;
}

const CONNECTIONS_MAX = 64;
const KEEP_MS = 30_000;

/** JSON over keep-alive connections. Paths are appended to the path of `url`. */
export function jsonClient({ url, answerMaxBytes }: { url: string; answerMaxBytes: number }): JsonClient {
  const base = new URL(url.endsWith('/') ? url : `${url}/`);
  const { Agent, request } = base.protocol === 'https:' ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_MAX, timeout: KEEP_MS, scheduling: 'lifo' });

  function once(method: string, path: string, body: Buffer | undefined, signal: AbortSignal) {
    return new Promise<Answer>((resolve, reject) => {
      const parent = traceparent();
      const headers = {
        accept: 'application/json',
        ...(parent === undefined ? {} : { traceparent: parent }),
        ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length }),
      };
      const target = new URL(path.replace(/^\//, ''), base);
      const sent = request(target, { method, agent, headers, signal }, (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > answerMaxBytes) response.destroy(new Error(`the answer is over ${answerMaxBytes} bytes`));
          else chunks.push(chunk);
        });
        response.on('error', reject);
        // A response that is cut off emits no `end`, and not always an `error`.
        response.on('close', () => {
          if (!response.complete) reject(new Error('the answer broke off'));
        });
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            retryAfter: response.headers['retry-after'],
            body: parsed(Buffer.concat(chunks)),
          }),
        );
      });
      sent.on('error', (error) => reject(Object.assign(error, { wasReused: sent.reusedSocket })));
      sent.end(body);
    });
  }

  async function answered(method: string, path: string, body: unknown, timeoutMs: number): Promise<Answer> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    for (let attempt = 1; ; attempt++) {
      try {
        return await once(method, path, bytes, timeout);
      } catch (error) {
        if (timeout.aborted) throw new Error(`no whole answer within ${timeoutMs} ms`, { cause: error });
        // The server may have closed an idle connection just now. That is no failure of the server, so we retry on a
        // new one.
        const { code, wasReused } = error as { code?: unknown; wasReused?: boolean };
        const isStale = wasReused === true && (code === 'ECONNRESET' || code === 'EPIPE');
        if (!isStale || attempt > CONNECTIONS_MAX) throw error;
      }
    }
  }

  const send: JsonClient['send'] = (method, path, body, timeoutMs) => {
    const server = {
      'server.address': base.hostname,
      'server.port': Number(base.port || (base.protocol === 'https:' ? 443 : 80)),
    };
    return inClientSpan(method, { 'http.request.method': method, 'url.path': path, ...server }, async (add) => {
      const answer = await answered(method, path, body, timeoutMs);
      add({ 'http.response.status_code': answer.status });
      return answer;
    });
  };

  return {
    send,
    async health(path, timeoutMs) {
      try {
        const { status } = await send('GET', path, undefined, timeoutMs);
        return status === 200 ? { ok: true } : { ok: false, detail: `it answered ${status}` };
      } catch (error) {
        return { ok: false, detail: error instanceof Error ? error.message : String(error) };
      }
    },
    stop: () => agent.destroy(),
  };
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
