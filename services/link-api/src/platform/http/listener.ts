/** Makes one request listener of slices. Who may call is for the authentication to say. */
import type { RequestListener } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import { tracePublicRequests } from '@waypost/process';
import type { Logger } from '@waypost/telemetry';
import express, { type Router } from 'express';
import type { ApiCounts } from '../metrics.ts';
import type { Slice } from '../slice.ts';
import { answerInTime } from './answer-in-time.ts';
import { type EndpointHandlerDeps, endpointHandlers } from './endpoint-handler.ts';
import { type Errors, errorAnswer, errorHandler, errorReporter, HttpError, NOTHING_HERE } from './errors.ts';
import { identify } from './identify.ts';
import { noteRequests, setSecurityHeaders } from './middleware.ts';
import { type RouterDeps, router } from './router.ts';

export interface ListenerDeps extends RouterDeps, EndpointHandlerDeps {
  readonly errors: Errors;
  readonly logger: Logger;
  readonly counts: ApiCounts;
}

/** `documents` come before the other routes of the slices. */
export function listener(
  slices: readonly Slice[],
  deps: ListenerDeps,
  documents: readonly Router[] = [],
): RequestListener {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  // Express's own parser ignores parameters after the first 1,000, so an unknown parameter there would be accepted.
  app.set('query parser', (query: string) => parseQuery(query, '&', '=', { maxKeys: 0 }));

  const reportError = errorReporter(deps.logger, deps.errors);
  const answerError = errorAnswer(reportError);
  const secretPaths = slices.flatMap((slice) => slice.secretPaths ?? []);
  app.use(
    identify,
    tracePublicRequests,
    setSecurityHeaders(deps.baseUrl),
    noteRequests(deps.logger, deps.counts, secretPaths),
    answerInTime(answerError),
  );
  const endpoints = slices.flatMap((slice) => slice.endpoints ?? []).map(endpointHandlers(deps));
  app.use(router(endpoints, deps), ...documents);
  const http = { endpoints, authentication: deps.authentication, reportError };
  for (const { routes } of slices) if (routes !== undefined) app.use(routes(http));
  app.use(() => {
    throw new HttpError(404, NOTHING_HERE);
  });
  app.use(errorHandler(answerError));
  return app;
}
