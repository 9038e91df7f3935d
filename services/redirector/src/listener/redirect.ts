/**
 * The visitors' listener. A redirect by a cached link is the most frequent request, so it uses one look-up, one line of
 * the click log and no promise.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type RedirectRecord, recordAt } from '@waypost/domain';
import type { ClientAddress } from '@waypost/process';
import { errorFields, type Logger, type PublicReadiness } from '@waypost/telemetry';
import type { ClickLog } from '../clicks/log/click-log.ts';
import type { RecordClick } from '../clicks/record-click.ts';
import type { Resolved, SlugResolver } from '../links/resolve-slug.ts';
import type { Page } from '../pages/explanation-page.ts';
import { type Exchange, hsts, send, sendJson, sendMethodNotAllowed, sendPage } from '../pages/send.ts';
import { wellKnownFile } from '../pages/well-known.ts';
import { FloodGuard } from './flood-guard.ts';
import { type RequestedLink, type Route, route } from './route.ts';
import { Turn } from './turn.ts';
import type { VisitorCounts } from './visitor-counts.ts';

export interface RedirectDeps {
  readonly resolve: Pick<SlugResolver, 'cached' | 'lookUp'>;
  readonly recordClick: RecordClick;
  readonly clientAddress: ClientAddress;
  readonly clickLog: Pick<ClickLog, 'add' | 'commit'>;
  /** If true, the click of a visitor who asks not to be tracked has only the link and the time. */
  readonly honoursPrivacySignals?: boolean;
  readonly readiness: () => Promise<PublicReadiness>;
  /** `REDIRECT_BASE_URL` without a trailing slash. */
  readonly baseUrl: string;
  /** The base URL of the page where visitors report links, without a trailing slash. Undefined if there is none. */
  readonly reportBaseUrl?: string | undefined;
  readonly contact: string;
  readonly logger: Logger;
  readonly now: () => number;
  readonly counts: VisitorCounts;
}

export class RedirectListener {
  readonly #guard = new FloodGuard();
  readonly #turn: Turn;
  readonly #deps: RedirectDeps;
  readonly #counts: VisitorCounts;
  /** Alternating names and values, as `writeHead` takes them. Each redirect adds its location. */
  readonly #redirectHeaders: readonly string[];

  constructor(deps: RedirectDeps) {
    const { clickLog, logger, baseUrl, counts } = deps;
    this.#deps = deps;
    this.#counts = counts;
    this.#redirectHeaders = Object.entries({
      'Cache-Control': 'no-store',
      'X-Robots-Tag': 'noindex',
      'Content-Length': '0',
      ...hsts(baseUrl),
    }).flat();
    const send = (response: ServerResponse, location: string) => this.#sendRedirect(response, location);
    this.#turn = new Turn({ clickLog, counts, logger, send, onEnd: () => this.#guard.endTurn() });
  }

  /** Returns true if the parser must stop reading this connection. Call it right after the listener. */
  isRefused(socket: Socket): boolean {
    return this.#guard.isRefused(socket);
  }

  flush(): void {
    this.#turn.flush();
  }

  readonly listener: RequestListener = (request, response) => {
    this.#turn.open();
    if (this.#guard.isFlooding(request.socket)) return;
    try {
      if (request.method === 'GET' || request.method === 'HEAD') this.#answer(request, response, request.url ?? '/');
      else {
        sendMethodNotAllowed(response);
        this.#guard.refuse(request.socket);
      }
    } catch (error) {
      this.#fail({ request, response, query: '' }, error);
    }
  };

  #answer(request: IncomingMessage, response: ServerResponse, target: string): void {
    const link = this.#deps.resolve.cached(target.slice(1));
    if (link?.location !== undefined && this.#deps.now() < link.endsAt)
      this.#redirect(request, response, link.record, link.location);
    else this.#answerOther(request, response, route(target));
  }

  #redirect(
    request: IncomingMessage,
    response: ServerResponse,
    record: RedirectRecord,
    location: string,
    since?: number,
  ): void {
    const { headers } = request;
    if (request.method === 'HEAD' || isPrefetch(headers)) {
      this.#counts.answered('uncounted_redirect');
      this.#sendRedirect(response, location);
      return;
    }
    const { recordClick, clientAddress, honoursPrivacySignals = false } = this.#deps;
    const click =
      honoursPrivacySignals && asksForPrivacy(headers)
        ? recordClick(record, '', undefined, undefined)
        : recordClick(record, clientAddress(request), headers['user-agent'] || NO_AGENT, headers.referer);
    this.#turn.add(click, response, location, since);
  }

  #sendRedirect(response: ServerResponse, location: string): void {
    response.writeHead(302, ['Location', location, ...this.#redirectHeaders]);
    response.end();
  }

  #answerOther(request: IncomingMessage, response: ServerResponse, requested: Route): void {
    const exchange = { request, response, query: requested.query };
    if (requested.kind === 'link') this.#answerLinkPath(exchange, requested);
    else if (requested.kind === 'home') this.#page(exchange, { kind: 'home' });
    else if (requested.kind === 'health') sendJson(exchange, 200, { status: 'alive' });
    else if (requested.kind === 'readiness') void this.#answerReadiness(exchange);
    else if (requested.kind === 'nothing')
      this.#page(exchange, { kind: 'not_found', requested: requested.text, slug: requested.text });
    else {
      const { type, body } = wellKnownFile(requested.path, { ...this.#deps, now: this.#deps.now() });
      send(exchange, 200, type, body, { 'Cache-Control': 'public, max-age=86400' });
    }
  }

  #answerLinkPath(exchange: Exchange, requested: RequestedLink): void {
    const link = this.#deps.resolve.cached(requested.slug);
    if (link === undefined) void this.#lookUpAndAnswer(exchange, requested);
    else this.#answerLink(exchange, requested, link);
  }

  async #lookUpAndAnswer(exchange: Exchange, requested: RequestedLink): Promise<void> {
    const since = this.#turn.startedAt;
    const { slug, text } = requested;
    try {
      const link = await this.#deps.resolve.lookUp(slug);
      // A visitor who has disconnected gets no redirect, so there is no click to count.
      if (!exchange.response.destroyed) this.#answerLink(exchange, requested, link, since);
    } catch (error) {
      this.#deps.logger.debug('a link could not be looked up', { slug, ...errorFields(error) });
      this.#page(exchange, { kind: 'unavailable', requested: text, slug }, since);
    }
  }

  /** `since` is the time of the request, for a link that was not in memory. */
  #answerLink(exchange: Exchange, requested: RequestedLink, link: Resolved | null, since?: number): void {
    const { slug, preview, text } = requested;
    if (link === null) {
      this.#page(exchange, { kind: 'not_found', requested: text, slug }, since);
      return;
    }
    const { location } = link;
    const record = recordAt(link.record, this.#deps.now());
    if (record.status !== 'active') {
      this.#page(exchange, { kind: record.status, record }, since);
    } else if (location === undefined) {
      this.#deps.logger.error('the destination of an active link is not a URL', { slug });
      this.#page(exchange, { kind: 'unavailable', requested: text, slug }, since);
    } else if (preview) {
      this.#page(exchange, { kind: 'preview', record, location }, since);
    } else {
      this.#redirect(exchange.request, exchange.response, record, location, since);
    }
  }

  #page(exchange: Exchange, content: Page, since = this.#turn.startedAt): void {
    const { baseUrl, reportBaseUrl, now } = this.#deps;
    sendPage(exchange, content, { baseUrl, reportBaseUrl, now: now() });
    this.#counts.answered(content.kind);
    this.#counts.took(performance.now() - since);
  }

  async #answerReadiness(exchange: Exchange): Promise<void> {
    const state = await this.#deps.readiness().catch(() => ({ status: 'not_ready', dependencies: {} }));
    sendJson(exchange, state.status === 'ready' ? 200 : 503, state);
  }

  /** The visitor gets a 503 and may retry. The log has the error. */
  #fail(exchange: Exchange, error: unknown): void {
    this.#deps.logger.error('a request failed', { method: exchange.request.method, ...errorFields(error) });
    if (exchange.response.headersSent) exchange.response.destroy();
    else this.#page(exchange, { kind: 'unavailable', requested: '', slug: '' });
  }
}

/** No browser of a person sends an empty `User-Agent`. A click without any text is one of a visitor who withholds it. */
const NO_AGENT = '-';

/** These are the headers of Do Not Track and Global Privacy Control. */
const asksForPrivacy = (headers: IncomingMessage['headers']): boolean =>
  headers.dnt === '1' || headers['sec-gpc'] === '1';

/** Browsers and chat programs mark prefetches and previews. Nobody has clicked yet, so they are not counted. */
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
