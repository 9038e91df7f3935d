import { failed, runWithin, startServerSpan, strangersParent } from '@waypost/telemetry';
import type { Request, RequestHandler } from 'express';

/** Each request joins the trace that its `traceparent` names, or a new one: `response.locals.traceId`. */
export const traceRequests = tracing((request) => request.get('traceparent'));

/** The same for requests from outside. */
export const tracePublicRequests = tracing((request) => strangersParent(request.get('traceparent')));

function tracing(parentOf: (request: Request) => string | undefined): RequestHandler {
  return (request, response, next) => {
    const span = startServerSpan(request.method, parentOf(request));
    response.locals.traceId = span.spanContext().traceId;
    if (span.isRecording()) {
      response.once('close', () => {
        const route = routeOf(request) ?? '';
        span.updateName(`${request.method} ${route}`.trimEnd());
        span.setAttributes({
          'http.request.method': request.method,
          'http.route': route,
          'http.response.status_code': response.statusCode,
        });
        // A refusal is the caller's fault, and no failure.
        if (response.statusCode >= 500) failed(span, String(response.statusCode));
        span.end();
      });
    }
    runWithin(span, next);
  };
}

/** The pattern of the route that answered, such as `/api/v1/links/:slug`; undefined if none did. */
export function routeOf({ baseUrl, route }: Request): string | undefined {
  const path: unknown = route?.path;
  return typeof path === 'string' ? `${baseUrl}${path}` : undefined;
}
