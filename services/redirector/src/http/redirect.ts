/**
 * The visitors' listener. On the hot path, a cached link costs one look-up, one line of the click log, and no promise.
 * All redirects of one event-loop tick leave together after one write of the log: no answer leaves before its click is
 * captured, and the write costs little (libs/domain/decisions/0004-click-log.md).
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ClientAddress, MAX_PIPELINED } from '@waypost/process';
import { errorFields, type Logger, type PublicReadiness } from '@waypost/telemetry';
import type { ClickLog } from '../click-log/click-log.ts';
import type { RecordClick } from '../use-cases/record-click.ts';
import { locationOf, type Resolved, type ResolveSlug } from '../use-cases/resolve-slug.ts';
import { type VisitorCounts, visitorCounts } from '../visitor-counts.ts';
import type { Page } from './explanation-page.ts';
import type { Passes } from './passes.ts';
import { type RequestedLink, readPath, splitTarget } from './request-target.ts';
import { type Exchange, hsts, send, sendJson, sendMethodNotAllowed, sendPage } from './send.ts';
import { wellKnownFile } from './well-known.ts';

export interface RedirectDeps {
  readonly resolve: ResolveSlug;
  readonly recordClick: RecordClick;
  readonly passes: Passes;
  readonly clientAddress: ClientAddress;
  readonly clickLog: Pick<ClickLog, 'add' | 'commit'>;
  /** Clicks of visitors who ask not to be tracked are recorded by their link and time alone. */
  readonly honoursPrivacySignals?: boolean;
  readonly readiness: () => Promise<PublicReadiness>;
  /** `REDIRECT_BASE_URL` without a trailing slash. */
  readonly baseUrl: string;
  /** Where visitors report links, without a trailing slash; undefined: nowhere. */
  readonly reportBaseUrl?: string | undefined;
  /** For security.txt. */
  readonly contact: string;
  readonly logger: Logger;
  readonly now: () => number;
  /** Shared with the main thread. */
  readonly counts?: VisitorCounts;
}

/**
 * Once a turn of the event loop (some milliseconds) has this many requests, each connection may send only
 * `MAX_PIPELINED_FULL` of them. Node cannot defer requests that it has read, so every visitor would wait for them.
 */
const FULL_TURN = 200;
const MAX_PIPELINED_FULL = 8;

export interface RedirectListener {
  readonly listener: RequestListener;
  /** Whether to read no more of this connection. Called right after the listener. */
  isRefused(socket: Socket): boolean;
  /** Answers the redirects that wait for the end of the tick. */
  flush(): void;
}

export function redirectListener(deps: RedirectDeps): RedirectListener {
  const { resolve, recordClick, passes, clientAddress, clickLog, baseUrl, reportBaseUrl, contact, logger, now } = deps;
  const { honoursPrivacySignals = false, counts = visitorCounts() } = deps;

  // Redirects that wait for the write at the end of this tick, and their destinations.
  const waiting: ServerResponse[] = [];
  const locations: string[] = [];
  /** When the requests of those began that had to be looked up; the others began in this turn. */
  const lookedUpSince: number[] = [];

  // The current turn of the event loop with a request or an answer in it, and its number of requests.
  let isTurnOpen = false;
  let turnRequests = 0;
  // The connection of the last of them, and how many of its requests it had in a row: those that were pipelined are.
  let lastSocket: Socket | undefined;
  let inARow = 0;
  /** Milliseconds of a monotonic clock, read once a turn: for each request it would cost more than it is worth. */
  let turnStartedAt = 0;
  function openTurn(): void {
    if (isTurnOpen) return;
    isTurnOpen = true;
    turnStartedAt = performance.now();
    setImmediate(() => {
      isTurnOpen = false;
      turnRequests = 0;
      lastSocket = undefined;
      flush();
    });
  }

  /** Whether a connection pipelines more than any browser or proxy does: everybody else would wait for all of it. */
  function isFlooding(socket: Socket): boolean {
    openTurn();
    inARow = socket === lastSocket ? inARow + 1 : 1;
    lastSocket = socket;
    turnRequests += 1;
    if (inARow <= (turnRequests <= FULL_TURN ? MAX_PIPELINED : MAX_PIPELINED_FULL)) return false;
    socket.destroy();
    refused = socket;
    return true;
  }

  // The connection to read no more of, until its parser calls `isRefused`.
  let refused: Socket | undefined;
  function isRefused(socket: Socket): boolean {
    const answer = refused === socket;
    refused = undefined;
    return answer;
  }

  function listener(request: IncomingMessage, response: ServerResponse): void {
    if (isFlooding(request.socket)) return;
    try {
      if (request.method === 'GET' || request.method === 'HEAD') answer(request, response, request.url ?? '/');
      else {
        sendMethodNotAllowed(response);
        refused = request.socket;
      }
    } catch (error) {
      fail({ request, response, query: '' }, error);
    }
  }

  function answer(request: IncomingMessage, response: ServerResponse, target: string): void {
    const link = resolve.cached(target.slice(1));
    if (link?.location !== undefined) redirect(request, response, link.record.slug, link.location);
    else answerOther(request, response, target);
  }

  /** Returns whether it waits for the write. */
  function redirect(request: IncomingMessage, response: ServerResponse, slug: string, location: string): boolean {
    const { headers } = request;
    if (request.method === 'HEAD' || isPrefetch(headers)) {
      counts.answered('uncounted_redirect');
      sendRedirect(response, location);
      return false;
    }
    clickLog.add(
      honoursPrivacySignals && asksForPrivacy(headers)
        ? recordClick(slug, '', undefined, undefined)
        : recordClick(slug, clientAddress(request), headers['user-agent'], headers.referer),
    );
    openTurn();
    waiting.push(response);
    locations.push(location);
    return true;
  }

  function flush(): void {
    if (waiting.length === 0) return;
    clickLog.commit();
    for (let i = 0; i < waiting.length; i += 1) sendCaptured(waiting[i]!, locations[i]!);
    countRedirects(waiting.length);
    waiting.length = 0;
    locations.length = 0;
  }

  /** Once for all of a turn: counting each would cost every visitor. */
  function countRedirects(redirects: number): void {
    const endedAt = performance.now();
    counts.answered('redirect', redirects);
    counts.found('memory', redirects - lookedUpSince.length);
    counts.took(endedAt - turnStartedAt, redirects - lookedUpSince.length);
    for (const since of lookedUpSince) counts.took(endedAt - since);
    lookedUpSince.length = 0;
  }

  /** One broken answer must not cost the other visitors of the tick theirs. */
  function sendCaptured(response: ServerResponse, location: string): void {
    try {
      sendRedirect(response, location);
    } catch (error) {
      logger.error('a redirect could not be sent', errorFields(error));
      response.destroy();
    }
  }

  // A list of names and values, to which each redirect adds its location.
  const otherHeaders = Object.entries({
    'Cache-Control': 'no-store',
    'X-Robots-Tag': 'noindex',
    'Content-Length': '0',
    ...hsts(baseUrl),
  }).flat();
  function sendRedirect(response: ServerResponse, location: string): void {
    response.writeHead(302, ['Location', location, ...otherHeaders]);
    response.end();
  }

  /** Everything except a plain `/<slug>` of a cached active link. */
  function answerOther(request: IncomingMessage, response: ServerResponse, target: string): void {
    const { path, query } = splitTarget(target);
    const exchange = { request, response, query };
    const file = wellKnownFile(path, { contact, baseUrl, now: now() });
    if (path === '/') page(exchange, { kind: 'home' });
    else if (path === '/healthz') sendJson(exchange, 200, { status: 'alive' });
    else if (path === '/readyz') void answerReadiness(exchange);
    else if (file !== undefined)
      send(exchange, 200, file.type, file.body, { 'Cache-Control': 'public, max-age=86400' });
    else answerLinkPath(exchange, readPath(path));
  }

  function answerLinkPath(exchange: Exchange, requested: RequestedLink): void {
    const { slug, text } = requested;
    const link = slug === undefined ? null : resolve.cached(slug);
    if (slug === undefined) page(exchange, { kind: 'not_found', requested: text, slug: text });
    else if (link === undefined) void lookUpAndAnswer(exchange, requested, slug);
    else answerLink(exchange, requested, slug, link);
  }

  async function lookUpAndAnswer(exchange: Exchange, requested: RequestedLink, slug: string): Promise<void> {
    const since = turnStartedAt;
    try {
      const link = await resolve.lookUp(slug);
      // A visitor who has disconnected gets no redirect, so there is no click.
      if (!exchange.response.destroyed) answerLink(exchange, requested, slug, link, since);
    } catch (error) {
      logger.debug('a link could not be looked up', { slug, ...errorFields(error) });
      page(exchange, { kind: 'unavailable', requested: requested.text, slug }, since);
    }
  }

  /** `since`: when the request of a link that had to be looked up began. */
  function answerLink(
    exchange: Exchange,
    { preview, text }: RequestedLink,
    slug: string,
    link: Resolved | null,
    since?: number,
  ): void {
    if (link === null) {
      page(exchange, { kind: 'not_found', requested: text, slug }, since);
      return;
    }
    const { record } = link;
    const previewFirst = record.previewFirst === true;
    const location = link.location ?? locationOf(record);
    if (record.status !== 'active') {
      page(exchange, { kind: record.status, record }, since);
    } else if (location === undefined) {
      logger.error('the destination of an active link is not a URL', { slug });
      page(exchange, { kind: 'unavailable', requested: text, slug }, since);
    } else if (preview || (previewFirst && !passes.isIn(exchange.query, slug))) {
      page(exchange, { kind: 'preview', record, location, pass: previewFirst ? passes.issue(slug) : undefined }, since);
    } else if (redirect(exchange.request, exchange.response, slug, location) && since !== undefined) {
      lookedUpSince.push(since);
    }
  }

  function page(exchange: Exchange, content: Page, since = turnStartedAt): void {
    sendPage(exchange, content, { baseUrl, reportBaseUrl, now: now() });
    counts.answered(content.kind);
    counts.took(performance.now() - since);
  }

  async function answerReadiness(exchange: Exchange): Promise<void> {
    const state = await deps.readiness().catch(() => ({ status: 'not_ready', dependencies: {} }));
    sendJson(exchange, state.status === 'ready' ? 200 : 503, state);
  }

  /** Our fault: the visitor gets a 503 to retry, and the log has the error. */
  function fail(exchange: Exchange, error: unknown): void {
    logger.error('a request failed', { method: exchange.request.method, ...errorFields(error) });
    if (exchange.response.headersSent) exchange.response.destroy();
    else page(exchange, { kind: 'unavailable', requested: '', slug: '' });
  }

  return { listener, isRefused, flush };
}

/** Do Not Track, and Global Privacy Control. */
const asksForPrivacy = (headers: IncomingMessage['headers']): boolean =>
  headers.dnt === '1' || headers['sec-gpc'] === '1';

/** Browsers and chat programs mark prefetches and previews; nobody has clicked yet. */
function isPrefetch(headers: IncomingMessage['headers']): boolean {
  return (
    namesPrefetch(headers['sec-purpose']) ||
    namesPrefetch(headers.purpose) ||
    namesPrefetch(headers['x-purpose']) ||
    namesPrefetch(headers['x-moz'])
  );
}

function namesPrefetch(header: string | string[] | undefined): boolean {
  return header !== undefined && /prefetch|preview/i.test(String(header));
}
