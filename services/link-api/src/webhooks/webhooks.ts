/** Every function here throws `webhook_not_found` if the webhook belongs to another account (docs/webhooks.md). */
import { randomBytes } from 'node:crypto';
import { type Actor, type AuditAction, DomainError, type UrlPolicy } from '@waypost/domain';
import type { NotesOf } from '../audit/index.ts';
import { countAttempt, type SignInAttempts } from '../platform/attempts.ts';
import { actorOf, type Caller, hasScope } from '../platform/caller.ts';
import { invalid } from '../platform/checks.ts';
import { hashSecret } from '../platform/hash-secret.ts';
import { ATTEMPTS } from '../platform/limits.ts';
import { messageId } from './deliver.ts';
import {
  checkWebhookUrl,
  type DeliveryState,
  EVENTS_OF,
  WEBHOOK_LIMITS,
  type Webhook,
  type WebhookDelivery,
  type WebhookEvent,
  type WebhookScope,
  webhookBody,
} from './webhook.ts';
import type { WebhookChange, Webhooks } from './webhooks.port.ts';

export interface WebhookDeps {
  readonly webhooks: Webhooks;
  readonly webhookPolicy: UrlPolicy;
  readonly webhooking: Webhooking;
  readonly attempts: Pick<SignInAttempts, 'count'>;
  readonly now: () => Date;
}

export interface Webhooking {
  /** Must be called when there is a new message. */
  wake(): void;
}

/** The audit log gets the host alone, because the rest of an address may be a secret of the owner. */
const noted =
  (by: Actor, action: Extract<AuditAction, `webhook.${string}`>): NotesOf<Webhook> =>
  ({ id, accountId, url }) => [{ by, action, subject: id, accountId, detail: new URL(url).host }];

/**
 * Only this result contains the secret; no later answer does. Throws `too_many_webhooks` and, for the scope
 * `installation`, `administrator_needed`.
 */
export async function createWebhook(
  deps: WebhookDeps,
  caller: Caller,
  { scope, url, events }: Pick<WebhookChange, 'url' | 'events'> & Pick<Webhook, 'scope'>,
): Promise<Webhook & { readonly secret: string }> {
  const { accountId, keyId } = caller;
  assertMayReceive(caller, scope);
  const secret = newSecret();
  const to = { url: checkedUrl(url, deps.webhookPolicy), events: checkedEvents(events, scope) };
  const webhook = { ...to, accountId, scope, keyId, secret, at: deps.now() };
  return { ...(await deps.webhooks.create(webhook, noted(actorOf(caller), 'webhook.created'))), secret };
}

export async function getWebhook(
  { webhooks }: Pick<WebhookDeps, 'webhooks'>,
  accountId: string,
  id: string,
): Promise<Webhook> {
  return (UUID.test(id) ? await webhooks.find(accountId, id) : undefined) ?? notFound();
}

/**
 * A webhook that changes its host gets a new secret, which is in this result alone. With the earlier one, the new
 * receiver could pass messages on to the earlier receiver, as if they came from us.
 */
export async function changeWebhook(
  deps: WebhookDeps,
  caller: Caller,
  id: string,
  to: WebhookChange,
): Promise<Webhook & { readonly secret: string | null }> {
  const { accountId, keyId } = caller;
  const { scope } = await getWebhook(deps, accountId, id);
  assertMayReceive(caller, scope);
  const secret = newSecret();
  const checked = { url: checkedUrl(to.url, deps.webhookPolicy), events: checkedEvents(to.events, scope) };
  const change = { ...to, ...checked, keyId, secret, at: deps.now() };
  const changed = await deps.webhooks.change(accountId, id, change, noted(actorOf(caller), 'webhook.changed'));
  if (changed === undefined) notFound();
  deps.webhooking.wake();
  const { newSecret: isNew, ...webhook } = changed;
  return { ...webhook, secret: isNew ? secret : null };
}

export async function deleteWebhook(
  { webhooks }: Pick<WebhookDeps, 'webhooks'>,
  accountId: string,
  id: string,
  by: Actor,
): Promise<void> {
  if (!UUID.test(id) || !(await webhooks.delete(accountId, id, noted(by, 'webhook.deleted')))) notFound();
}

export async function rotateSecret(deps: WebhookDeps, caller: Caller, id: string) {
  assertMayReceive(caller, (await getWebhook(deps, caller.accountId, id)).scope);
  const secret = newSecret();
  const oldUntil = new Date(deps.now().getTime() + WEBHOOK_LIMITS.oldSecretMs);
  const notes = noted(actorOf(caller), 'webhook.secret_rotated');
  const webhook = await deps.webhooks.rotate(caller.accountId, id, { secret, oldUntil }, notes);
  return { ...(webhook ?? notFound()), secret, oldSecretUntil: oldUntil };
}

/** Throws `webhook_disabled` and `too_many_attempts`. */
export async function testWebhook(deps: WebhookDeps, accountId: string, id: string): Promise<WebhookDelivery> {
  await getEnabled(deps, accountId, id);
  await countAskedFor(deps, accountId);
  const at = deps.now();
  const body = webhookBody('webhook.test', at.toISOString(), { webhook: id });
  const delivery = await deps.webhooks.queue(id, { type: 'webhook.test', body, at });
  deps.webhooking.wake();
  return delivery;
}

function countAskedFor(deps: WebhookDeps, accountId: string): Promise<number> {
  return countAttempt(deps, hashSecret(`webhook messages of ${accountId}`), ATTEMPTS.webhookMessages, REQUESTS_LIMIT);
}

/** The endpoints' descriptions and the error have this sentence. */
export const REQUESTS_LIMIT = `An account may ask for ${ATTEMPTS.webhookMessages} tests and replays in 15 minutes.`;

export const DELIVERIES_PER_PAGE = 50;

export async function listDeliveries(
  deps: Pick<WebhookDeps, 'webhooks'>,
  accountId: string,
  id: string,
  { state, before }: { readonly state?: DeliveryState; readonly before?: string },
): Promise<readonly WebhookDelivery[]> {
  await getWebhook(deps, accountId, id);
  const from = before === undefined ? undefined : deliveryId(before);
  if (before !== undefined && from === undefined) throw invalid({ before: 'is not the id of a delivery' });
  return deps.webhooks.deliveries(id, { state, before: from, limit: DELIVERIES_PER_PAGE });
}

/** Throws `webhook_disabled`, `delivery_not_found`, `delivery_pending` and `too_many_attempts`. */
export async function replayDelivery(
  deps: WebhookDeps,
  accountId: string,
  { webhook, delivery }: { readonly webhook: string; readonly delivery: string },
): Promise<WebhookDelivery> {
  await getEnabled(deps, accountId, webhook);
  await countAskedFor(deps, accountId);
  const id = deliveryId(delivery);
  const replayed = id && (await deps.webhooks.replay(webhook, id, deps.now()));
  if (!replayed) {
    if (id && (await deps.webhooks.delivery(webhook, id)))
      throw new DomainError('delivery_pending', 'This delivery is pending: it is sent as it is.');
    throw new DomainError('delivery_not_found', 'There is no such delivery of this webhook.');
  }
  deps.webhooking.wake();
  return replayed;
}

async function getEnabled(deps: WebhookDeps, accountId: string, id: string): Promise<void> {
  if ((await getWebhook(deps, accountId, id)).disabled !== null)
    throw new DomainError('webhook_disabled', 'This webhook is switched off: enable it first.');
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Callers use the value of `webhook-id` as the id of a delivery. */
function deliveryId(text: string): string | undefined {
  const id = text.slice(messageId('').length);
  return text === messageId(id) && UUID.test(id) ? id : undefined;
}

function checkedUrl(text: string, policy: UrlPolicy): string {
  const checked = checkWebhookUrl(text, policy);
  if (!checked.ok) throw invalid({ url: checked.problem });
  return checked.href;
}

/** A key without the scope `admin` must not learn about the links of other accounts. */
function assertMayReceive(caller: Caller, scope: WebhookScope): void {
  if (scope === 'installation' && !hasScope(caller, 'admin'))
    throw new DomainError('administrator_needed', 'A webhook of the installation needs an administrator.');
}

function checkedEvents(events: readonly WebhookEvent[], scope: WebhookScope): readonly WebhookEvent[] {
  const other = events.find((event) => !EVENTS_OF[scope].includes(event));
  if (other !== undefined) throw invalid({ events: `${other} is no event of the scope ${scope}` });
  return events;
}

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

function notFound(): never {
  throw new DomainError('webhook_not_found', 'There is no such webhook of yours.');
}
