import type { RequestListener } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import { tracePublicRequests } from '@waypost/process';
import type { Background } from '@waypost/resilience';
import { createMetrics } from '@waypost/telemetry';
import express from 'express';
import { eraseAccounts } from './privacy/erase-accounts.job.ts';
import { providerSignIn } from './accounts/oidc/provider-sign-in.http.ts';
import { signInLink } from './accounts/sign-in-link.http.ts';
import type { LinkApiDeps } from './deps.ts';
import { endpoints } from './endpoints.ts';
import { applyVerdicts } from './links/apply-verdicts.consumer.ts';
import { dryRunRows } from './links/dry-run-rows.ts';
import { type RelayedEvent, withImportedClicks } from './links/index.ts';
import { relayOutbox } from './links/relay-outbox.job.ts';
import { apiCounts } from './platform/metrics.ts';
import { reportPages } from './moderation/report-pages.http.ts';
import { mailNotices } from './notices/mail-notices.job.ts';
import { noteOwnListings } from './notices/note-own-listings.job.ts';
import { forgetExpired } from './platform/forget-expired.job.ts';
import { answerInTime } from './platform/http/answer-in-time.ts';
import { errorAnswer, errorHandler, errorReporter, HttpError, NOTHING_HERE } from './platform/http/errors.ts';
import { identify } from './platform/http/identify.ts';
import { noteRequests, setSecurityHeaders } from './platform/http/middleware.ts';
import { pages } from './dashboard/pages.http.ts';
import { router } from './platform/http/router.ts';
import { serving } from './platform/http/serving.ts';
import { shedLoad } from './platform/http/shed-load.ts';
import { allTurns } from './platform/limits.ts';
import { docs } from './platform/openapi/docs.ts';
import { mcp } from './tools/routes.ts';
import { makeClickMessages } from './webhooks/click-messages.job.ts';
import { deliverClicks, deliverEvents, sweepWebhooks } from './webhooks/deliver.job.ts';
import { webhookMessages } from './webhooks/messages.schema.ts';
import { queueLinkEvents } from './webhooks/queue.ts';
import { oneAtATime } from './webhooks/reads.ts';
import type { Webhooking } from './webhooks/webhooks.ts';

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
  let deliveries: readonly Background[] = [];
  const webhooking: Webhooking = {
    wake: () => {
      for (const each of deliveries) each.wake();
    },
  };
  const stats = withImportedClicks(deps.stats, deps.imports);
  const shared = { ...deps, stats, counts, webhooking, turns: allTurns(), spendDryRunRows: dryRunRows(deps.now) };
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
    app: shedLoad(app, shared),
    start: async () => {
      running.push(await applyVerdicts(deps));
      const reading = { ...deps, storedClicks: oneAtATime(deps.storedClicks) };
      const clicks = deliverClicks(reading);
      deliveries = [deliverEvents(reading), clicks];
      const { sendMail } = deps;
      const jobs = [
        ...deliveries,
        makeClickMessages({ ...reading, onMessage: clicks.wake }),
        sweepWebhooks(deps),
        ...(sendMail === undefined ? [] : [mailNotices({ ...deps, sendMail }), noteOwnListings(deps)]),
      ];
      for (const job of jobs) job.start();
      running.push(...jobs);
      const queueWebhooks = async (events: readonly RelayedEvent[]) => {
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
