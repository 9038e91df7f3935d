import { rotatedWebhook } from '@waypost/domain';
import { actorOf, type Caller } from '../platform/caller.ts';
import { assertMayReceive, newSecret, noted, webhookNotFound } from './checks.ts';
import { getWebhook } from './get.ts';
import type { Webhooks } from './webhooks.port.ts';

interface Deps {
  readonly webhooks: Pick<Webhooks, 'find' | 'update'>;
  readonly now: () => Date;
}

/** Throws `webhook_not_found` and, for the scope `installation`, `administrator_needed`. */
export async function rotateSecret(deps: Deps, caller: Caller, id: string) {
  assertMayReceive(caller, (await getWebhook(deps, caller.accountId, id)).scope);
  const update = await deps.webhooks.update(
    caller.accountId,
    id,
    (current) => rotatedWebhook(current, newSecret(), deps.now()),
    noted(actorOf(caller), 'webhook.secret_rotated'),
  );
  if (update === undefined) throw webhookNotFound();
  return update.to;
}
