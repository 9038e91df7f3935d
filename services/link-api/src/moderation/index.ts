import type { Database } from '@waypost/postgres';
import type { Metrics } from '@waypost/telemetry';
import { slice } from '../platform/slice.ts';
import { caseOpened } from './cases.schema.ts';
import { postgresCases } from './cases.sql.ts';
import { decideCaseEndpoint } from './decide-case.endpoint.ts';
import { inspectLinkEndpoint } from './inspect-link.endpoint.ts';
import { countCasesEndpoint, listCasesEndpoint, listReviewRequestsEndpoint } from './list-cases.endpoint.ts';
import { listFeedsEndpoint } from './list-feeds.endpoint.ts';
import { caseMetrics } from './metrics.ts';
import { postgresOwnListings } from './own-listings.sql.ts';
import type { ModerationPorts } from './ports.ts';
import { reportPages } from './report-pages.http.ts';
import { requestReviewEndpoint } from './request-review.endpoint.ts';
import { reviewLinkEndpoint } from './review-link.endpoint.ts';
import { resumeAccountEndpoint, suspendAccountEndpoint } from './suspend.endpoint.ts';
import { postgresSuspensions } from './suspensions.sql.ts';
import { takeDownHostEndpoints } from './take-down-host.endpoint.ts';
import { takeDownLinkEndpoint } from './take-down-link.endpoint.ts';

export const moderation = slice({
  endpoints: [
    requestReviewEndpoint,
    suspendAccountEndpoint,
    resumeAccountEndpoint,
    inspectLinkEndpoint,
    takeDownLinkEndpoint,
    ...takeDownHostEndpoints,
    reviewLinkEndpoint,
    listReviewRequestsEndpoint,
    listCasesEndpoint,
    countCasesEndpoint,
    decideCaseEndpoint,
    listFeedsEndpoint,
  ],
  messages: [caseOpened],
  open: (ports: ModerationPorts & { readonly metrics: Metrics }) => {
    caseMetrics(ports.metrics, ports);
    return {
      ports,
      routes: () => reportPages(ports),
      secretPaths: ['/report/', '/api/v1/admin/cases/'],
      forget: [(now) => ports.cases.forget(now)],
    };
  },
});

export const moderationStores = (db: Database, wakeOutbox: () => void) => ({
  cases: postgresCases(db, wakeOutbox),
  suspensions: postgresSuspensions(db),
  ownListings: postgresOwnListings(db),
});

export type { Cases } from './cases.port.ts';
export { CASE, caseBody, presentCase } from './cases.schema.ts';
export { eraseCaseTexts, forgetWriter } from './erase.sql.ts';
export { caseErrors } from './errors.http.ts';
