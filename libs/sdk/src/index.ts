export type {
  AccountLimit,
  Alive,
  Analytics,
  Checked,
  CheckedLink,
  CheckedMany,
  Created,
  CreatedMany,
  Link,
  LinkPage,
  NewLink,
  Readiness,
  Review,
  Warning,
} from './api-types.ts';
export type { BulkEvent, BulkOptions } from './bulk.ts';
export { type ErrorCode, type Quota, WaypostError } from './errors.ts';
export type { CallOptions, Retry, WaypostOptions } from './request.ts';
export { type AnalyticsQuery, type CreateOptions, type ListFilter, type ListQuery, Waypost } from './waypost.ts';
export { verifyWebhook, type Webhook, WebhookError } from './webhooks.ts';
