import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { clientAddress } from '@waypost/process';
import type { LinkApiDeps } from '../../deps.ts';
import type { ApiCounts } from '../../metrics.ts';
import { UNDER_WAY } from '../limits.ts';
import { errorBody } from './errors.ts';
import { requestId } from './identify.ts';
import { securityHeaders } from './middleware.ts';

/** A key with its scheme is shorter, and the session cookie is near the start of its header. */
const CLIENT_MAX = 200;
const RETRY_AFTER_SECONDS = 5;
const MESSAGE = 'Too many requests are under way. Nothing was done for this one.';
/** Requests that are refused within this time share one `error_id` and one line in the log. */
const NOTED_FOR_MS = 1_000;

/** A request adds a listener in each layer that it passes. Node warns of a leak above ten listeners. */
const LISTENERS_MAX = 20;

const ALWAYS: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz']);

type Deps = Pick<LinkApiDeps, 'baseUrl' | 'trustedProxies' | 'logger'> & { readonly counts: Pick<ApiCounts, 'shed'> };

/** Refuses requests before any look-up, so a refusal costs little. One client cannot use more than `full` places. */
export function shedLoad(
  app: RequestListener,
  { baseUrl, trustedProxies, logger, counts }: Deps,
  { full, most, each, holdMs } = UNDER_WAY,
): RequestListener {
  const addressOf = clientAddress(trustedProxies);
  const headers = securityHeaders(baseUrl);
  /** Counts requests in flight by the client's credentials or address. The credentials are not checked yet. */
  const inFlight = new Map<string, number>();
  let all = 0;
  let notice: { readonly errorId: string; readonly body: string; count: number } | undefined;

  const clientOf = (request: IncomingMessage) =>
    (request.headers.authorization ?? request.headers.cookie)?.slice(0, CLIENT_MAX) ?? addressOf(request);

  function note(): string {
    if (notice === undefined) {
      const errorId = randomUUID();
      notice = { errorId, body: JSON.stringify(errorBody(503, MESSAGE, undefined, errorId)), count: 0 };
      setTimeout(() => {
        const { count } = notice!;
        notice = undefined;
        counts.shed.inc({}, count);
        logger.warn('too many requests at once: some were refused', { error_id: errorId, count, under_way: all });
      }, NOTED_FOR_MS).unref();
    }
    notice.count += 1;
    return notice.body;
  }

  function shed(request: IncomingMessage, response: ServerResponse): void {
    const body = note();
    setTimeout(() => {
      if (response.destroyed) return;
      const own = {
        'X-Request-Id': requestId(request.headers['x-request-id']?.toString()),
        'Retry-After': RETRY_AFTER_SECONDS,
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(body),
      };
      response.writeHead(503, { ...headers, ...own }).end(body);
    }, holdMs);
  }

  return (request, response) => {
    if (ALWAYS.has(request.url)) return app(request, response);
    const client = clientOf(request);
    const own = inFlight.get(client) ?? 0;
    if (all >= most || (all >= full && own >= each)) return shed(request, response);
    all += 1;
    inFlight.set(client, own + 1);
    response.setMaxListeners(LISTENERS_MAX).once('close', () => {
      all -= 1;
      const remaining = inFlight.get(client)! - 1;
      if (remaining === 0) inFlight.delete(client);
      else inFlight.set(client, remaining);
    });
    app(request, response);
  };
}
