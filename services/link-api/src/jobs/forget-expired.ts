import type { ApiKeys, IdempotencyStore, LinkImports, Sessions, WebhookQueue } from '@waypost/ports';

interface Deps {
  readonly idempotency: Pick<IdempotencyStore, 'forget'>;
  readonly sessions: Pick<Sessions, 'forget'>;
  readonly webhookQueue: Pick<WebhookQueue, 'forget'>;
  readonly imports: Pick<LinkImports, 'forget'>;
  readonly keys: Pick<ApiKeys, 'forget'>;
  readonly now: () => Date;
  readonly onLateError: (error: unknown) => void;
}

const EVERY_MS = 3_600_000;

/**
 * Drops, every hour, what has run out: the kept answers of an Idempotency-Key, sessions, attempts to sign in, the log of
 * webhooks, imported clicks, API keys.
 */
export function forgetExpired(deps: Deps): { stop(): Promise<void> } {
  const { idempotency, sessions, webhookQueue, imports, keys, now, onLateError } = deps;
  const timer = setInterval(() => {
    for (const store of [idempotency, sessions, webhookQueue, imports, keys])
      void store.forget(now()).catch(onLateError);
  }, EVERY_MS);
  return { stop: async () => clearInterval(timer) };
}
