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
export interface Waker {
  wake(): void;
  onWake(listen: () => void): void;
}

export function waker(): Waker {
  const listeners = new Set<() => void>();
  return {
    wake: () => {
      for (const listen of listeners) listen();
    },
    onWake: (listen) => void listeners.add(listen),
  };
}
