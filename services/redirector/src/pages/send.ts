import type { IncomingMessage, ServerResponse } from 'node:http';
import { PAGE_STATUS, type Page, type PageView, pageHtml, pageJson, STYLE } from './explanation-page.ts';
import { languageOf, prefersJson } from './negotiate.ts';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The query without its `?`. Only pages read it, for `lang`. */
  readonly query: string;
}

type Headers = Readonly<Record<string, string>>;

/** If short links are https, browsers are told to use https for all later visits. */
export function hsts(baseUrl: string): Headers {
  return baseUrl.startsWith('https:') ? { 'Strict-Transport-Security': 'max-age=31536000' } : {};
}

const RETRY_AFTER_SECONDS = '3';

export function sendPage(
  exchange: Exchange,
  page: Page,
  site: Pick<PageView, 'baseUrl' | 'reportBaseUrl' | 'now'>,
): void {
  const { accept, 'accept-language': acceptLanguage } = exchange.request.headers;
  const language = languageOf(exchange.query, acceptLanguage);
  const view = { ...site, language };
  const headers = {
    'Cache-Control': 'no-store',
    'Content-Language': language,
    Vary: 'Accept, Accept-Language',
    'Content-Security-Policy': STYLE.contentSecurityPolicy,
    'Referrer-Policy': 'no-referrer',
    'X-Robots-Tag': 'noindex',
    ...hsts(site.baseUrl),
    ...(page.kind === 'unavailable' ? { 'Retry-After': RETRY_AFTER_SECONDS } : {}),
  };
  const status = PAGE_STATUS[page.kind];
  if (prefersJson(accept)) sendJson(exchange, status, pageJson(page, view), headers);
  else send(exchange, status, 'text/html; charset=utf-8', pageHtml(page, view), headers);
}

export function sendJson(
  exchange: Exchange,
  status: number,
  value: unknown,
  headers: Headers = { 'Cache-Control': 'no-store' },
): void {
  send(exchange, status, 'application/json; charset=utf-8', JSON.stringify(value), headers);
}

/** HEAD gets the same headers without the body. A text is sent together with the headers. */
export function send(
  { request, response }: Exchange,
  status: number,
  type: string,
  body: string | Buffer,
  headers: Headers,
): void {
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

export function sendMethodNotAllowed(response: ServerResponse): void {
  const body = 'This path supports only GET and HEAD.\n';
  response.writeHead(405, {
    Allow: 'GET, HEAD',
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': String(body.length),
    // The rest of the request is not read, so the connection cannot be used again.
    Connection: 'close',
  });
  response.end(body);
}
