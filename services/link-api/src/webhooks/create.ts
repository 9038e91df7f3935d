import type { UrlPolicy, Webhook } from '@waypost/domain';
import { actorOf, type Caller } from '../platform/caller.ts';
import { assertMayReceive, checkedReceiver, newSecret, noted } from './checks.ts';
import type { Webhooks } from './webhooks.port.ts';

interface Deps {
  readonly webhooks: Pick<Webhooks, 'create'>;
  readonly webhookPolicy: UrlPolicy;
  readonly now: () => Date;
}

/**
 * Only this result contains the secret; no later answer does. Throws `too_many_webhooks` and, for the scope
 * `installation`, `administrator_needed`.
 */
export async function createWebhook(
  deps: Deps,
  caller: Caller,
  { scope, ...to }: Pick<Webhook, 'url' | 'events' | 'scope'>,
): Promise<Webhook & { readonly secret: string }> {
  const { accountId, keyId } = caller;
  assertMayReceive(caller, scope);
  const secret = newSecret();
  const webhook = {
    ...checkedReceiver(to, scope, deps.webhookPolicy),
    accountId,
    scope,
    keyId,
    secret,
    at: deps.now(),
  };
  return { ...(await deps.webhooks.create(webhook, noted(actorOf(caller), 'webhook.created'))), secret };
}
