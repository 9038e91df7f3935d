import { runWithin, startServerSpan, strangersParent } from '@waypost/telemetry';
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
        const route = `${request.baseUrl}${(request.route as { path?: string } | undefined)?.path ?? ''}`;
        span.updateName(`${request.method} ${route}`.trimEnd());
        span.setAttributes({
          'http.request.method': request.method,
          'http.route': route,
          'http.response.status_code': response.statusCode,
        });
        span.end();
      });
    }
    runWithin(span, next);
  };
}
