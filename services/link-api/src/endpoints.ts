/** Lists every endpoint of the API. Another method of these paths gets 405, another path 404. */
import type { UrlPolicy } from '@waypost/domain';
import { changePasswordEndpoint } from './accounts/change-password.endpoint.ts';
import { createAccountEndpoint } from './accounts/create.endpoint.ts';
import { credentialEndpoints } from './credentials/credentials.endpoint.ts';
import { deleteAccountEndpoint, deleteOwnAccountEndpoint } from './privacy/delete.endpoint.ts';
import { endSessionsEndpoint } from './accounts/end-sessions.endpoint.ts';
import { exportAccountEndpoint } from './privacy/export.endpoint.ts';
import { getAccountEndpoint } from './accounts/get.endpoint.ts';
import { listAccountsEndpoint } from './accounts/list.endpoint.ts';
import { beginProviderSignInEndpoint, inSession } from './accounts/oidc/begin.endpoint.ts';
import { beginPasskeyEndpoint, createPasskeyEndpoint } from './accounts/passkeys/create.endpoint.ts';
import { deletePasskeyEndpoint } from './accounts/passkeys/delete.endpoint.ts';
import { listPasskeysEndpoint } from './accounts/passkeys/list.endpoint.ts';
import { beginSignInByPasskeyEndpoint, signInByPasskeyEndpoint } from './accounts/passkeys/sign-in.endpoint.ts';
import {
  firstRunEndpoint,
  getSessionEndpoint,
  getSignInOptionsEndpoint,
  signInEndpoint,
  signOutEndpoint,
} from './accounts/session.endpoint.ts';
import { sessionEndpoints } from './accounts/sessions.endpoint.ts';
import { setLimitEndpoint } from './accounts/set-limit.endpoint.ts';
import { getAnalyticsEndpoint } from './analytics/get.endpoint.ts';
import { getLinkClicksEndpoint } from './analytics/link-clicks.endpoint.ts';
import { getOverviewEndpoint } from './analytics/overview.endpoint.ts';
import { listAuditEndpoint } from './audit/list.endpoint.ts';
import { createAccountKeyEndpoint, createKeyEndpoint } from './keys/create.endpoint.ts';
import { deleteAccountKeyEndpoint, deleteKeyEndpoint } from './keys/delete.endpoint.ts';
import { listAccountKeysEndpoint, listKeysEndpoint } from './keys/list.endpoint.ts';
import { checkUrlEndpoint } from './links/check.endpoint.ts';
import { createLinkEndpoint } from './links/create.endpoint.ts';
import { createLinksInBulkEndpoint } from './links/create-in-bulk.endpoint.ts';
import { getFacetsEndpoint } from './links/facets.endpoint.ts';
import { getLinkEndpoint } from './links/get.endpoint.ts';
import { getScanEndpoint } from './links/get-scan.endpoint.ts';
import { listLinksEndpoint } from './links/list.endpoint.ts';
import { revokeLinkEndpoint } from './links/revoke.endpoint.ts';
import { decideCaseEndpoint } from './moderation/decide-case.endpoint.ts';
import { inspectLinkEndpoint } from './moderation/inspect-link.endpoint.ts';
import { countCasesEndpoint, listCasesEndpoint, listReviewRequestsEndpoint } from './moderation/list-cases.endpoint.ts';
import { listFeedsEndpoint } from './moderation/list-feeds.endpoint.ts';
import { requestReviewEndpoint } from './moderation/request-review.endpoint.ts';
import { reviewLinkEndpoint } from './moderation/review-link.endpoint.ts';
import { resumeAccountEndpoint, suspendAccountEndpoint } from './moderation/suspend.endpoint.ts';
import { takeDownHostEndpoints } from './moderation/take-down-host.endpoint.ts';
import { takeDownLinkEndpoint } from './moderation/take-down-link.endpoint.ts';
import type { Endpoint } from './platform/endpoint.ts';
import { getHealthDetailsEndpoint, getHealthEndpoint, getReadinessEndpoint } from './health/health.endpoint.ts';
import { deliveryEndpoints } from './webhooks/deliveries.endpoint.ts';
import { webhookEndpoints } from './webhooks/webhooks.endpoint.ts';

export const endpoints = (policy: UrlPolicy): readonly Endpoint[] => [
  createLinkEndpoint(policy),
  listLinksEndpoint,
  getFacetsEndpoint,
  createLinksInBulkEndpoint(policy),
  checkUrlEndpoint,
  getLinkClicksEndpoint,
  getLinkEndpoint,
  revokeLinkEndpoint,
  getScanEndpoint,
  getAnalyticsEndpoint,
  getOverviewEndpoint,
  getSessionEndpoint,
  signInEndpoint,
  signOutEndpoint,
  getSignInOptionsEndpoint,
  signInByPasskeyEndpoint,
  beginSignInByPasskeyEndpoint,
  beginProviderSignInEndpoint,
  firstRunEndpoint,
  getAccountEndpoint,
  deleteOwnAccountEndpoint,
  exportAccountEndpoint,
  listPasskeysEndpoint,
  beginPasskeyEndpoint,
  createPasskeyEndpoint,
  deletePasskeyEndpoint,
  changePasswordEndpoint,
  endSessionsEndpoint,
  ...credentialEndpoints,
  ...sessionEndpoints,
  ...inSession,
  listAccountsEndpoint,
  createAccountEndpoint,
  setLimitEndpoint,
  deleteAccountEndpoint,
  listKeysEndpoint,
  createKeyEndpoint,
  deleteKeyEndpoint,
  listAccountKeysEndpoint,
  createAccountKeyEndpoint,
  deleteAccountKeyEndpoint,
  ...webhookEndpoints,
  ...deliveryEndpoints,
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
  getHealthDetailsEndpoint,
  listAuditEndpoint,
  getHealthEndpoint,
  getReadinessEndpoint,
];
