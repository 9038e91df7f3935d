import {
  attempted,
  isTriedAgain,
  isUnavailable,
  WEBHOOK_BACK_OFF,
  WEBHOOK_LIMITS,
  type Webhook,
  type WebhookMessageType,
  type WebhookOutcome,
} from '@waypost/domain';
import type { StoredClicks } from '@waypost/ports';
import { backOffMs } from '@waypost/resilience';
import { inClientSpan, inSpan, type Logger } from '@waypost/telemetry';
import { clicksBody } from './bodies.ts';
import { messageId } from './message-id.ts';
import type { AttemptOutcome, ClaimedDelivery, SendWebhook, WebhookAnswer, WebhookQueue } from './webhooks.port.ts';

export interface DeliverDeps {
  readonly webhookQueue: Pick<WebhookQueue, 'record' | 'postpone' | 'drop'>;
  readonly storedClicks: Pick<StoredClicks, 'read'>;
  readonly sendWebhook: SendWebhook;
  readonly logger: Pick<Logger, 'debug' | 'warn'>;
  readonly now: () => Date;
}

/** What an attempt may take: its time limit, and half of that again to record the outcome. */
const ATTEMPT_MS = 1.5 * WEBHOOK_LIMITS.timeoutMs;

/**
 * Makes one attempt and records its outcome, in the trace of the event. If `stopping` aborts the attempt, or it cannot
 * end before `leaseUntil`, it is repeated later.
 */
export function deliverWebhook(
  deps: DeliverDeps,
  delivery: ClaimedDelivery,
  leaseUntil: Date,
  stopping: AbortSignal,
): Promise<void> {
  return inSpan('deliver webhook', delivery.traceparent, async () => {
    const { id, webhookId, type, url, secrets } = delivery;
    const body = await bodyOf(deps, delivery);
    if (body === undefined) return;
    const startedAt = deps.now();
    // Clicks may wait long for their turn in a slow store. Later, another process would send the message, too.
    if (startedAt.getTime() + ATTEMPT_MS > leaseUntil.getTime()) return;
    const request = { 'http.request.method': 'POST', 'server.address': new URL(url).hostname };
    const answer = await inClientSpan('POST', request, async (add) => {
      const message = { url, id: messageId(id), body, secrets, at: startedAt };
      const sent = await deps.sendWebhook(message, stopping);
      add(sent.status === null ? { 'error.type': 'no_answer' } : { 'http.response.status_code': sent.status });
      return sent;
    });
    if (stopping.aborted && answer.status === null) return;
    const at = deps.now();
    const outcome = outcomeOf(delivery, answer, at);
    const attempt = { url, startedAt, endedAt: at, result: resultOf(type, answer, outcome) };
    const update = await deps.webhookQueue.record(id, outcome, (webhook) => attempted(webhook, attempt));
    const { state, error } = outcome;
    deps.logger.debug('a message was sent to a webhook', {
      webhook: webhookId,
      delivery: id,
      type,
      state,
      status: answer.status,
      error,
    });
    if (update?.from.disabled === null && update.to.disabled !== null) noteSwitchedOff(deps.logger, update.to);
  });
}

/** While the click store is away, a message of clicks waits for this time. No attempt is counted. */
const STORE_AWAY_MS = 30_000;

/** Resolves to undefined if there is nothing to send now. */
async function bodyOf(deps: DeliverDeps, delivery: ClaimedDelivery): Promise<string | undefined> {
  const { id, accountId, message, createdAt } = delivery;
  if ('body' in message) return message.body;
  try {
    const clicks = await deps.storedClicks.read(accountId, message.clicks);
    if (clicks.length > 0) return clicksBody(clicks, createdAt);
    // All rows were copies of clicks that are in earlier messages, or the account's clicks were deleted.
    await deps.webhookQueue.drop(id);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    await deps.webhookQueue.postpone(id, new Date(deps.now().getTime() + STORE_AWAY_MS));
  }
  return undefined;
}

export function noteSwitchedOff(logger: Pick<Logger, 'warn'>, { id, accountId, disabled }: Webhook): void {
  logger.warn('a webhook was disabled', { webhook: id, account: accountId, reason: disabled?.reason });
}

const GONE = 410;

/** With this status a receiver may say when to try again. The next attempt is then not earlier, but within hours. */
const BUSY: readonly (number | null)[] = [429, 503];

function outcomeOf({ type, beganAt, attempts }: ClaimedDelivery, result: WebhookAnswer, at: Date): AttemptOutcome {
  const { status, answer, error, retryAfterMs = 0 } = result;
  const delivered = status !== null && status >= 200 && status < 300;
  const requestedMs = BUSY.includes(status) ? Math.min(retryAfterMs, WEBHOOK_BACK_OFF.most) : 0;
  const next = new Date(at.getTime() + Math.max(backOffMs(WEBHOOK_BACK_OFF, attempts), requestedMs));
  const again = !delivered && status !== GONE && isTriedAgain(type, beganAt, next);
  return {
    at,
    state: delivered ? 'delivered' : again ? 'pending' : 'failed',
    nextAttemptAt: again ? next : null,
    status,
    error: error ?? (delivered ? null : `returned status ${status}`),
    answer,
    expiresAt: again ? null : new Date(at.getTime() + WEBHOOK_LIMITS.logMs),
  };
}

/** A test is sent once, so its failure does not say that messages are given up. */
function resultOf(
  type: WebhookMessageType,
  { status }: WebhookAnswer,
  { state }: AttemptOutcome,
): WebhookOutcome['result'] {
  if (status === GONE) return 'gone';
  if (state === 'delivered') return 'delivered';
  return state === 'failed' && type !== 'webhook.test' ? 'given_up' : 'failed';
}
