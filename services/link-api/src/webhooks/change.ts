import { changedWebhook, type UrlPolicy, type Webhook, type WebhookChange } from '@waypost/domain';
import { actorOf, type Caller } from '../platform/caller.ts';
import { assertMayReceive, checkedReceiver, newSecret, noted, webhookNotFound } from './checks.ts';
import { getWebhook } from './get.ts';
import type { Waker } from './ports.ts';
import type { Webhooks } from './webhooks.port.ts';

interface Deps {
  readonly webhooks: Pick<Webhooks, 'find' | 'update'>;
  readonly webhookPolicy: UrlPolicy;
  readonly webhooking: Pick<Waker, 'emit'>;
  readonly now: () => Date;
}

/**
 * A webhook that changes its host gets a new secret, which is in this result alone. With the earlier one, the new
 * receiver could pass messages on to the earlier receiver, as if they came from us.
 */
export async function changeWebhook(
  deps: Deps,
  caller: Caller,
  id: string,
  to: WebhookChange,
): Promise<Webhook & { readonly secret: string | null }> {
  const { accountId, keyId } = caller;
  const { scope } = await getWebhook(deps, accountId, id);
  assertMayReceive(caller, scope);
  const secret = newSecret();
  const change = { ...to, ...checkedReceiver(to, scope, deps.webhookPolicy), keyId, secret };
  const update = await deps.webhooks.update(
    accountId,
    id,
    (current) => changedWebhook(current, change, deps.now()),
    noted(actorOf(caller), 'webhook.changed'),
  );
  if (update === undefined) throw webhookNotFound();
  deps.webhooking.emit('message');
  return { ...update.to, secret: update.to.secret === secret ? secret : null };
}
