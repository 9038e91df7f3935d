import type { RequestListener } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import { tracePublicRequests } from '@waypost/process';
import { within } from '@waypost/resilience';
import { createMetrics } from '@waypost/telemetry';
import express from 'express';
import { applyVerdicts } from './consumers/apply-verdicts.ts';
import { type ClickSubscription, queueLinkEvents, subscribeToClicks } from './consumers/queue-webhooks.ts';
import type { LinkApiDeps } from './deps.ts';
import { endpoints } from './endpoints/index.ts';
import { answerInTime } from './http/answer-in-time.ts';
import { docs } from './http/docs.ts';
import { errorAnswer, errorHandler, errorTeller, HttpError, NOTHING_HERE } from './http/errors.ts';
import { identify } from './http/identify.ts';
import { noteRequests, setSecurityHeaders } from './http/middleware.ts';
import { pages } from './http/pages.ts';
import { providerSignIn } from './http/provider-sign-in.ts';
import { reportPages } from './http/report-pages.ts';
import { router } from './http/router.ts';
import { serving } from './http/serving.ts';
import { sessions } from './http/sessions.ts';
import { shedLoad } from './http/shed-load.ts';
import { deliverWebhooks, type WebhookDeliveries } from './jobs/deliver-webhooks.ts';
import { eraseAccounts } from './jobs/erase-accounts.ts';
import { forgetExpired } from './jobs/forget-expired.ts';
import { relayOutbox } from './jobs/relay-outbox.ts';
import { allTurns } from './limits.ts';
import { mcp } from './mcp/routes.ts';
import { apiCounts } from './metrics.ts';
import type { Webhooking } from './use-cases/webhooks.ts';

/** An answer does not wait longer for the subscription to clicks; the next look makes up for it. */
const CHANGED_WITHIN_MS = 1_000;

export interface LinkApi {
  /** The public listener. */
  readonly app: RequestListener;
  /** Starts the consumers, the outbox relay, the deliveries to webhooks, the hourly clean-up and the erasing of deleted accounts. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Without `metrics`, nobody reads what it counts. */
export function createLinkApi(deps: LinkApiDeps, metrics = createMetrics()): LinkApi {
  const counts = apiCounts(metrics);
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  // Express's own parser stops at 1,000 parameters, and so would silently accept an unknown one after them.
  app.set('query parser', (query: string) => parseQuery(query, '&', '=', { maxKeys: 0 }));

  const tellError = errorTeller(deps.logger);
  const answerError = errorAnswer(tellError);
  app.use(
    identify,
    tracePublicRequests,
    setSecurityHeaders(deps.baseUrl),
    noteRequests(deps.logger, counts),
    answerInTime(answerError),
  );
  const served = endpoints(deps.urlPolicy);
  let deliveries: WebhookDeliveries | undefined;
  let clicks: ClickSubscription | undefined;
  const webhooking: Webhooking = {
    wake: () => deliveries?.wake(),
    changed: async () => {
      if (clicks !== undefined) await within(clicks.refresh(), CHANGED_WITHIN_MS, undefined).catch(deps.onLateError);
    },
  };
  const shared = { ...deps, counts, webhooking, turns: allTurns() };
  const serve = serving(shared);
  app.use(router(served.map(serve), deps));
  app.use(sessions(shared));
  if (deps.byProvider !== undefined) app.use(providerSignIn(shared, deps.byProvider, tellError));
  app.use(mcp(served, serve, shared, tellError));
  app.use(docs(served, deps));
  app.use(reportPages(deps));
  app.use(pages(shared));
  app.use(() => {
    throw new HttpError(404, NOTHING_HERE);
  });
  app.use(errorHandler(answerError));

  const running: { stop(): Promise<void> }[] = [];
  return {
    app: shedLoad(app, { ...deps, counts }),
    start: async () => {
      running.push(await applyVerdicts(deps));
      deliveries = deliverWebhooks(deps);
      running.push(deliveries);
      running.push(await queueLinkEvents(deps, webhooking.wake));
      clicks = await subscribeToClicks(deps);
      running.push(clicks);
      running.push(await relayOutbox(deps));
      running.push(forgetExpired(deps));
      running.push(eraseAccounts(deps));
    },
    stop: async () => {
      for (const part of running.splice(0).reverse()) await part.stop();
    },
  };
}
