import { parse as parseQuery } from 'node:querystring';
import { type Logger, tracePublicRequests } from '@waypost/service-kit';
import express, { type Express, type RequestHandler } from 'express';
import { applyVerdicts } from './consumers/apply-verdicts.ts';
import type { LinkApiDeps } from './deps.ts';
import { endpoints } from './endpoints/index.ts';
import { answerInTime } from './http/answer-in-time.ts';
import { docs } from './http/docs.ts';
import { errorAnswer, errorHandler, HttpError, NOTHING_HERE } from './http/errors.ts';
import { identify } from './http/identify.ts';
import { pages } from './http/pages.ts';
import { router } from './http/router.ts';
import { relayOutbox } from './jobs/relay-outbox.ts';

export interface LinkApi {
  /** The public listener. */
  readonly app: Express;
  /** Starts the consumer of `verdicts`, the outbox relay and the daily clean-up. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const CLEAN_UP_EVERY_MS = 3_600_000;

export function createLinkApi(deps: LinkApiDeps): LinkApi {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  // Express's own parser stops at 1,000 parameters, so the unknown one behind them would be obeyed in silence.
  app.set('query parser', (query: string) => parseQuery(query, '&', '=', { maxKeys: 0 }));

  const answerError = errorAnswer(deps.logger);
  app.use(
    identify,
    tracePublicRequests,
    securityHeaders(deps.baseUrl),
    logRequests(deps.logger),
    answerInTime(answerError),
  );
  const served = endpoints(deps.urlPolicy);
  app.use(router(served, deps));
  app.use(docs(served, deps));
  app.use(pages(deps));
  app.use(() => {
    throw new HttpError(404, NOTHING_HERE);
  });
  app.use(errorHandler(answerError));

  const running: { stop(): Promise<void> }[] = [];
  return {
    app,
    start: async () => {
      running.push(await applyVerdicts(deps));
      running.push(await relayOutbox(deps));
      const cleanUp = setInterval(
        () => void deps.idempotency.forget(deps.now()).catch(deps.onLateError),
        CLEAN_UP_EVERY_MS,
      );
      running.push({ stop: async () => clearInterval(cleanUp) });
    },
    stop: async () => {
      for (const part of running.splice(0).reverse()) await part.stop();
    },
  };
}

function securityHeaders(baseUrl: string): RequestHandler {
  const secure = baseUrl.startsWith('https:');
  return (_request, response, next) => {
    response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Referrer-Policy', 'no-referrer');
    response.setHeader('Cache-Control', 'no-store');
    if (secure) response.setHeader('Strict-Transport-Security', 'max-age=31536000');
    next();
  };
}

/** Without the token of a sign-in link and without e-mail addresses. */
function loggedPath(path: string): string {
  if (path.startsWith('/sign-in/')) return '/sign-in/…';
  const steps = path.slice(0, 200).split('/');
  return steps.map((step) => (/@|%40/.test(step) ? '…' : step)).join('/');
}

/** One line per request. Neither the query (a search may be private) nor any header is in it. */
function logRequests(logger: Logger): RequestHandler {
  return (request, response, next) => {
    const start = performance.now();
    const path = loggedPath(request.path);
    response.once('close', () => {
      logger.info('request', {
        method: request.method,
        path,
        status: response.statusCode,
        ms: Math.round((performance.now() - start) * 10) / 10,
        request_id: response.locals.requestId,
        trace_id: response.locals.traceId,
        ...(response.writableFinished ? {} : { aborted: true }),
        ...(response.locals.errorId === undefined ? {} : { error_id: response.locals.errorId }),
      });
    });
    next();
  };
}
