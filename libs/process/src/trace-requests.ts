import { failed, runWithin, startServerSpan, strangersParent } from '@waypost/telemetry';
import type { Request, RequestHandler } from 'express';

/** Each request joins the trace of its `traceparent`, or starts one. Its id is in `response.locals.traceId`. */
export const traceRequests = tracing((request) => request.get('traceparent'));

/** Use this for requests from outside. Their callers cannot decide which traces are recorded. */
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
          'url.scheme': request.protocol,
          // A path may hold a secret, so its pattern stands for it.
          'url.path': route,
          'http.route': route,
          'http.response.status_code': response.statusCode,
        });
        // A refused request (4xx) is a fault of the caller, so it is not reported as a failure.
        if (response.statusCode >= 500) failed(span, String(response.statusCode));
        span.end();
      });
    }
    runWithin(span, next);
  };
}

/** Returns the pattern of the route that answered, such as `/api/v1/links/:slug`; undefined if no route did. */
export function routeOf({ baseUrl, route }: Request): string | undefined {
  const path: unknown = route?.path;
  return typeof path === 'string' ? `${baseUrl}${path}` : undefined;
}
