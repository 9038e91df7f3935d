import { actorOf, type Caller } from '../platform/caller.ts';
import { assertMayReceive, newSecret, noted, webhookNotFound } from './checks.ts';
import { getWebhook } from './get.ts';
import { WEBHOOK_LIMITS } from './webhook.ts';
import type { Webhooks } from './webhooks.port.ts';

interface Deps {
  readonly webhooks: Pick<Webhooks, 'find' | 'rotate'>;
  readonly now: () => Date;
}

/** Throws `webhook_not_found` and, for the scope `installation`, `administrator_needed`. */
export async function rotateSecret(deps: Deps, caller: Caller, id: string) {
  assertMayReceive(caller, (await getWebhook(deps, caller.accountId, id)).scope);
  const secret = newSecret();
  const oldUntil = new Date(deps.now().getTime() + WEBHOOK_LIMITS.oldSecretMs);
  const notes = noted(actorOf(caller), 'webhook.secret_rotated');
  const webhook = await deps.webhooks.rotate(caller.accountId, id, { secret, oldUntil }, notes);
  if (webhook === undefined) throw webhookNotFound();
  return { ...webhook, secret, oldSecretUntil: oldUntil };
}
