import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { clientAddress, type TrustedProxies } from '@waypost/process';
import type { Logger } from '@waypost/telemetry';
import { UNDER_WAY } from '../limits.ts';
import type { ApiCounts } from '../metrics.ts';
import { errorBody } from './errors.ts';
import { requestId } from './identify.ts';
import { securityHeaders } from './middleware.ts';

/** A key with its scheme has fewer characters, and the cookie of a session comes early in its header. */
const CLIENT_MAX = 200;
const RETRY_AFTER_SECONDS = 5;
const MESSAGE = 'Too many requests are under way. Nothing was done for this one.';
/** What is shed in this time has one `error_id` and one line in the log. */
const NOTED_FOR_MS = 1_000;

/** Each layer that a request passes waits for its end. Node's warning from eleven on is for leaks. */
const LISTENERS_MAX = 20;

/** What tells whether the process lives and works is answered while it is full, too. */
const ALWAYS: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz']);

interface Deps {
  readonly baseUrl: string;
  readonly trustedProxies: TrustedProxies;
  readonly logger: Logger;
  readonly counts: Pick<ApiCounts, 'shed'>;
}

/**
 * Answers requests above the bounds itself, before `app` and any look-up, and so for a small part of what a request
 * costs. One client alone fills no more than `full`, so others are served meanwhile.
 */
export function shedLoad(
  app: RequestListener,
  { baseUrl, trustedProxies, logger, counts }: Deps,
  { full, most, each, holdMs } = UNDER_WAY,
): RequestListener {
  const addressOf = clientAddress(trustedProxies);
  const headers = securityHeaders(baseUrl);
  /** By what identifies a client before any look-up. At most as many entries as requests under way. */
  const underWay = new Map<string, number>();
  let all = 0;
  let noted: { readonly errorId: string; readonly body: string; count: number } | undefined;

  const clientOf = (request: IncomingMessage) =>
    (request.headers.authorization ?? request.headers.cookie)?.slice(0, CLIENT_MAX) ?? addressOf(request);

  function note(): string {
    if (noted === undefined) {
      const errorId = randomUUID();
      noted = { errorId, body: JSON.stringify(errorBody(503, MESSAGE, undefined, errorId)), count: 0 };
      setTimeout(() => {
        const { count } = noted!;
        noted = undefined;
        counts.shed.inc({}, count);
        logger.warn('requests shed', { error_id: errorId, count, under_way: all });
      }, NOTED_FOR_MS).unref();
    }
    noted.count += 1;
    return noted.body;
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
    const own = underWay.get(client) ?? 0;
    if (all >= most || (all >= full && own >= each)) return shed(request, response);
    all += 1;
    underWay.set(client, own + 1);
    response.setMaxListeners(LISTENERS_MAX).once('close', () => {
      all -= 1;
      const left = underWay.get(client)! - 1;
      if (left === 0) underWay.delete(client);
      else underWay.set(client, left);
    });
    app(request, response);
  };
}
