import { backOffMs } from '@waypost/resilience';
import type { Logger } from '@waypost/telemetry';
import { isTriedAgain, WEBHOOK_BACK_OFF, WEBHOOK_LIMITS } from './webhook.ts';
import type { AttemptOutcome, ClaimedDelivery, SendWebhook, WebhookAnswer, WebhookQueue } from './webhooks.port.ts';

export interface DeliverDeps {
  readonly webhookQueue: Pick<WebhookQueue, 'record' | 'switchOff'>;
  readonly sendWebhook: SendWebhook;
  readonly logger: Pick<Logger, 'debug' | 'warn'>;
  readonly now: () => Date;
}

/** Makes one attempt and records its outcome. If `stopping` aborts the attempt, it is repeated later. */
export async function deliverWebhook(deps: DeliverDeps, delivery: ClaimedDelivery, stopping: AbortSignal) {
  const { id, webhookId, accountId, type, url, body, secrets } = delivery;
  const startedAt = deps.now();
  const answer = await deps.sendWebhook({ url, id: messageId(id), body, secrets, at: startedAt }, stopping);
  if (stopping.aborted && answer.status === null) return;
  const at = deps.now();
  const outcome = outcomeOf(delivery, answer, at);
  await deps.webhookQueue.record({ id, url, startedAt }, outcome);
  const { state, error } = outcome;
  deps.logger.debug('a message was sent to a webhook', {
    webhook: webhookId,
    delivery: id,
    type,
    state,
    status: answer.status,
    error,
  });

  const isGivenUp = state === 'failed' && type !== 'webhook.test';
  const reason = answer.status === GONE ? 'gone' : isGivenUp ? 'failing' : undefined;
  if (reason === undefined) return;
  const failingBefore = reason === 'gone' ? undefined : new Date(at.getTime() - WEBHOOK_LIMITS.failingMs);
  if (await deps.webhookQueue.switchOff({ webhookId, url, startedAt }, reason, at, failingBefore))
    noteSwitchedOff(deps.logger, { webhookId, accountId, reason });
}

/** Returns the header `webhook-id`, which is the same for all attempts and replays. */
export const messageId = (deliveryId: string): string => `msg_${deliveryId}`;

export function noteSwitchedOff(
  logger: Pick<Logger, 'warn'>,
  { webhookId, accountId, reason }: { webhookId: string; accountId: string; reason: string },
): void {
  logger.warn('a webhook was switched off', { webhook: webhookId, account: accountId, reason });
}

const GONE = 410;

function outcomeOf({ type, beganAt, attempts }: ClaimedDelivery, { status, answer, error }: WebhookAnswer, at: Date) {
  const delivered = status !== null && status >= 200 && status < 300;
  const next = new Date(at.getTime() + backOffMs(WEBHOOK_BACK_OFF, attempts));
  const again = !delivered && status !== GONE && isTriedAgain(type, beganAt, next);
  const keptMs = type === 'link.clicked' ? WEBHOOK_LIMITS.clicksLogMs : WEBHOOK_LIMITS.logMs;
  const outcome: AttemptOutcome = {
    at,
    state: delivered ? 'delivered' : again ? 'pending' : 'failed',
    nextAttemptAt: again ? next : null,
    status,
    error: error ?? (delivered ? null : `answered ${status}`),
    answer,
    expiresAt: again ? null : new Date(at.getTime() + keptMs),
  };
  return outcome;
}
