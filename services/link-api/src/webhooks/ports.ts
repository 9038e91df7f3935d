import type { EventEmitter } from 'node:events';
import type { UrlPolicy } from '@waypost/domain';
import type { SignInAttempts } from '../platform/attempts.ts';
import type { Webhooks } from './webhooks.port.ts';

export interface WebhooksPorts {
  readonly webhooks: Webhooks;
  readonly webhookPolicy: UrlPolicy;
  readonly webhooking: Waker;
  readonly attempts: Pick<SignInAttempts, 'count'>;
  readonly now: () => Date;
}

/** Tells the deliveries of this process that there is a new message. */
export type Waker = EventEmitter<{ message: [] }>;
