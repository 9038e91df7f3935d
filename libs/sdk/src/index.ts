export type {
  AccountLimit,
  Alive,
  Analytics,
  Checked,
  CheckedLink,
  CheckedMany,
  Created,
  CreatedMany,
  CreatedWebhook,
  DeletedWebhook,
  Link,
  LinkPage,
  NewLink,
  NewWebhook,
  Readiness,
  Review,
  RotatedWebhook,
  Warning,
  WebhookChange,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookEndpoint,
  WebhookList,
} from './api-types.ts';
export type { BulkEvent, BulkOptions } from './bulk.ts';
export { type ErrorCode, type Quota, WaypostError } from './errors.ts';
export type { CallOptions, Retry, WaypostOptions } from './request.ts';
export {
  type AnalyticsQuery,
  type CreateOptions,
  type DeliveryQuery,
  type ListFilter,
  type ListQuery,
  Waypost,
} from './waypost.ts';
export { verifyWebhook, type Webhook, WebhookError } from './webhooks.ts';
