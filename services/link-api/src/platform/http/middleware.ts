import { routeOf } from '@waypost/process';
import type { Logger } from '@waypost/telemetry';
import type { RequestHandler } from 'express';
import type { ApiCounts } from '../metrics.ts';

export const securityHeaders = (baseUrl: string): Readonly<Record<string, string>> => ({
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  ...(baseUrl.startsWith('https:') && { 'Strict-Transport-Security': 'max-age=31536000' }),
});

export function setSecurityHeaders(baseUrl: string): RequestHandler {
  const headers = Object.entries(securityHeaders(baseUrl));
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}

/** Removes secrets that a path can contain: what follows one of `secret`, e-mail addresses and API keys. */
function loggedPath(path: string, secret: readonly string[]): string {
  const start = secret.find((each) => path.startsWith(each));
  if (start !== undefined) return `${start}…`;
  const steps = path.slice(0, 200).split('/');
  return steps.map((step) => (/@|%40|wp_[\w-]{40}/.test(step) ? '…' : step)).join('/');
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Logs no headers, and no query since a search may be private. Values that a caller can invent are `other`. */
export function noteRequests(
  logger: Logger,
  { requests, durations }: Pick<ApiCounts, 'requests' | 'durations'>,
  secretPaths: readonly string[],
): RequestHandler {
  return (request, response, next) => {
    const start = performance.now();
    const path = loggedPath(request.path, secretPaths);
    response.once('close', () => {
      const ms = performance.now() - start;
      const route = routeOf(request) ?? 'other';
      const method = METHODS.includes(request.method) ? request.method : 'other';
      requests.inc({ method, route, status: response.writableFinished ? String(response.statusCode) : 'aborted' });
      durations.observe({ route }, ms / 1_000);
      logger.info('request', {
        method: request.method,
        path,
        status: response.statusCode,
        ms: Math.round(ms * 10) / 10,
        request_id: response.locals.requestId,
        trace_id: response.locals.traceId,
        ...(response.writableFinished ? {} : { aborted: true }),
        ...(response.locals.errorId === undefined ? {} : { error_id: response.locals.errorId }),
      });
    });
    next();
  };
}
