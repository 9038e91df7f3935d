/** Every endpoint of the API. Other methods of these paths answer 405, other paths 404. */
import type { UrlPolicy } from '@waypost/domain';
import { changePasswordEndpoint } from './change-password.ts';
import { createAccountEndpoint } from './create-account.ts';
import { createAccountKeyEndpoint, createKeyEndpoint } from './create-key.ts';
import { createLinkEndpoint } from './create-link.ts';
import { createLinksInBulkEndpoint } from './create-links-in-bulk.ts';
import { beginPasskeyEndpoint, createPasskeyEndpoint } from './create-passkey.ts';
import { decideCaseEndpoint } from './decide-case.ts';
import { deleteAccountEndpoint, deleteOwnAccountEndpoint } from './delete-account.ts';
import { deleteAccountKeyEndpoint, deleteKeyEndpoint } from './delete-key.ts';
import { deletePasskeyEndpoint } from './delete-passkey.ts';
import { endSessionsEndpoint } from './end-sessions.ts';
import type { Endpoint } from './endpoint.ts';
import { exportAccountEndpoint } from './export-account.ts';
import { getAccountEndpoint } from './get-account.ts';
import { getAnalyticsEndpoint } from './get-analytics.ts';
import { getFacetsEndpoint } from './get-facets.ts';
import { getHealthEndpoint } from './get-health.ts';
import { getLinkEndpoint } from './get-link.ts';
import { getReadinessEndpoint } from './get-readiness.ts';
import { getScanEndpoint } from './get-scan.ts';
import { inspectLinkEndpoint } from './inspect-link.ts';
import { listAccountsEndpoint } from './list-accounts.ts';
import { listAuditEndpoint } from './list-audit.ts';
import { listCasesEndpoint } from './list-cases.ts';
import { listFeedsEndpoint } from './list-feeds.ts';
import { listAccountKeysEndpoint, listKeysEndpoint } from './list-keys.ts';
import { listLinksEndpoint } from './list-links.ts';
import { listPasskeysEndpoint } from './list-passkeys.ts';
import { requestReviewEndpoint } from './request-review.ts';
import { reviewLinkEndpoint } from './review-link.ts';
import { revokeLinkEndpoint } from './revoke-link.ts';
import { setLimitEndpoint } from './set-limit.ts';
import { resumeAccountEndpoint, suspendAccountEndpoint } from './suspend-account.ts';
import { takeDownLinkEndpoint } from './take-down-link.ts';
import { webhookEndpoints } from './webhooks.ts';

export const endpoints = (policy: UrlPolicy): readonly Endpoint[] => [
  createLinkEndpoint(policy),
  listLinksEndpoint,
  getFacetsEndpoint,
  createLinksInBulkEndpoint(policy),
  getLinkEndpoint,
  revokeLinkEndpoint,
  requestReviewEndpoint,
  getScanEndpoint,
  getAnalyticsEndpoint,
  getAccountEndpoint,
  deleteOwnAccountEndpoint,
  exportAccountEndpoint,
  listKeysEndpoint,
  createKeyEndpoint,
  deleteKeyEndpoint,
  listPasskeysEndpoint,
  beginPasskeyEndpoint,
  createPasskeyEndpoint,
  deletePasskeyEndpoint,
  changePasswordEndpoint,
  endSessionsEndpoint,
  listAccountsEndpoint,
  createAccountEndpoint,
  ...webhookEndpoints,
  setLimitEndpoint,
  suspendAccountEndpoint,
  resumeAccountEndpoint,
  deleteAccountEndpoint,
  listAccountKeysEndpoint,
  createAccountKeyEndpoint,
  deleteAccountKeyEndpoint,
  inspectLinkEndpoint,
  takeDownLinkEndpoint,
  reviewLinkEndpoint,
  listCasesEndpoint,
  decideCaseEndpoint,
  listAuditEndpoint,
  listFeedsEndpoint,
  getHealthEndpoint,
  getReadinessEndpoint,
];
