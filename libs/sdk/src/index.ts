export type { AccountsQuery, Administration, AuditQuery, CasesQuery } from './administration.ts';
export type * from './api-types.ts';
export { type BulkEvent, type BulkOptions, type BulkOutcome, outcomesOf } from './bulk.ts';
export { type ErrorCode, type Quota, WaypostError } from './errors.ts';
export type { CallOptions, InputOf, Retry, WaypostOptions } from './request.ts';
export {
  type AnalyticsQuery,
  type CreateOptions,
  type DeleteKeyQuery,
  type DeliveryQuery,
  type ListFilter,
  type ListQuery,
  type RequestInput,
  Waypost,
} from './waypost.ts';
export { verifyWebhook, type Webhook, WebhookError } from './webhooks.ts';
