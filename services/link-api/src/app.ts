import type { RequestListener } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import type { LinkEvent } from '@waypost/domain';
import { tracePublicRequests } from '@waypost/process';
import { within } from '@waypost/resilience';
import { createMetrics } from '@waypost/telemetry';
import express from 'express';
import { eraseAccounts } from './accounts/erase-accounts.job.ts';
import { providerSignIn } from './accounts/oidc/provider-sign-in.http.ts';
import { signInLink } from './accounts/sign-in-link.http.ts';
import type { LinkApiDeps } from './deps.ts';
import { endpoints } from './endpoints.ts';
import { applyVerdicts } from './links/apply-verdicts.consumer.ts';
import { dryRunRows } from './links/dry-run-rows.ts';
import { relayOutbox } from './links/relay-outbox.job.ts';
import { apiCounts } from './metrics.ts';
import { reportPages } from './moderation/report-pages.http.ts';
import { forgetExpired } from './platform/forget-expired.job.ts';
import { answerInTime } from './platform/http/answer-in-time.ts';
import { errorAnswer, errorHandler, errorReporter, HttpError, NOTHING_HERE } from './platform/http/errors.ts';
import { identify } from './platform/http/identify.ts';
import { noteRequests, setSecurityHeaders } from './platform/http/middleware.ts';
import { pages } from './platform/http/pages.ts';
import { router } from './platform/http/router.ts';
import { serving } from './platform/http/serving.ts';
import { shedLoad } from './platform/http/shed-load.ts';
import { allTurns } from './platform/limits.ts';
import { mcp } from './platform/mcp/routes.ts';
import { docs } from './platform/openapi/docs.ts';
import { type ClickSubscription, subscribeToClicks } from './webhooks/clicks.consumer.ts';
import { deliverWebhooks, type WebhookDeliveries } from './webhooks/deliver.job.ts';
import { webhookMessages } from './webhooks/messages.schema.ts';
import { queueLinkEvents } from './webhooks/queue.ts';
import type { Webhooking } from './webhooks/webhooks.ts';

/** A response waits at most this long for the subscription to clicks. The next refresh repeats the attempt. */
const CHANGED_WITHIN_MS = 1_000;

export interface LinkApi {
  readonly app: RequestListener;
  /** Starts consumers, relay, webhook deliveries, the hourly clean-up and the erasure of accounts. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Without `metrics`, the counts go into a registry that nobody exports. */
export function createLinkApi(deps: LinkApiDeps, metrics = createMetrics()): LinkApi {
  const counts = apiCounts(metrics);
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  // Express's own parser ignores parameters after the first 1,000, so an unknown parameter there would be accepted.
  app.set('query parser', (query: string) => parseQuery(query, '&', '=', { maxKeys: 0 }));

  const reportError = errorReporter(deps.logger);
  const answerError = errorAnswer(reportError);
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
  const shared = { ...deps, counts, webhooking, turns: allTurns(), spendDryRunRows: dryRunRows(deps.now) };
  const serve = serving(shared);
  app.use(router(served.map(serve), deps));
  if (deps.byProvider !== undefined) app.use(providerSignIn(shared, deps.byProvider, reportError));
  app.use(mcp(served, serve, shared, reportError));
  app.use(docs(served, webhookMessages, deps));
  app.use(reportPages(deps));
  app.use(signInLink(shared));
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
      clicks = await subscribeToClicks(deps);
      running.push(clicks);
      const queueWebhooks = async (events: readonly LinkEvent[]) => {
        if ((await queueLinkEvents(deps, events)) > 0) webhooking.wake();
      };
      running.push(await relayOutbox({ ...deps, queueWebhooks }));
      running.push(forgetExpired(deps));
      running.push(eraseAccounts(deps));
    },
    stop: async () => {
      for (const part of running.splice(0).reverse()) await part.stop();
    },
  };
}
