import { background, isNoteworthy } from '@waypost/resilience';
import { type DeliverDeps, deliverWebhook, noteSwitchedOff } from './deliver.ts';
import { WEBHOOK_LIMITS } from './webhook.ts';
import type { ClaimedDelivery, WebhookQueue } from './webhooks.port.ts';

interface Deps extends DeliverDeps {
  readonly webhookQueue: WebhookQueue;
  readonly webhookConcurrency: number;
  readonly onLateError: (error: unknown) => void;
}

export interface WebhookDeliveries {
  wake(): void;
  stop(): Promise<void>;
}

const POLL_MS = 1_000;
const SWEEP_MS = 30_000;
const BACK_OFF = { first: POLL_MS, most: 30_000 };
const PER_WEBHOOK = 8;
/** This is longer than the time limit of an attempt, so that its outcome can be recorded. */
const LEASE_MS = 3 * WEBHOOK_LIMITS.timeoutMs;

/** Failing receivers get at most half of the attempts, so that receivers that hang do not delay others. */
export function deliverWebhooks(deps: Deps): WebhookDeliveries {
  const { webhookQueue, webhookConcurrency, logger, now } = deps;
  const busy = new Map<
    string,
    { readonly attempts: number; readonly failing: boolean; readonly done: Promise<void> }
  >();
  let sweptAt = 0;

  const attemptsInFlight = (failing?: true) =>
    [...busy.values()].reduce((sum, each) => sum + (failing && !each.failing ? 0 : each.attempts), 0);

  const attempt = async (webhookId: string, deliveries: readonly ClaimedDelivery[], signal: AbortSignal) => {
    const outcomes = await Promise.allSettled(deliveries.map((delivery) => deliverWebhook(deps, delivery, signal)));
    for (const outcome of outcomes) if (outcome.status === 'rejected') deps.onLateError(outcome.reason);
    busy.delete(webhookId);
    delivering.wake();
  };

  const claim = async (signal: AbortSignal): Promise<number> => {
    const limit = webhookConcurrency - attemptsInFlight();
    if (limit <= 0) return 0;
    const at = now();
    const claimed = await webhookQueue.claim({
      now: at,
      leaseUntil: new Date(at.getTime() + LEASE_MS),
      busy: [...busy.keys()],
      perWebhook: PER_WEBHOOK,
      limit,
      failing: Math.max(0, Math.ceil(webhookConcurrency / 2) - attemptsInFlight(true)),
    });
    for (const [webhookId, deliveries] of Map.groupBy(claimed, (delivery) => delivery.webhookId)) {
      const failing = deliveries.some((delivery) => delivery.failing);
      busy.set(webhookId, { attempts: deliveries.length, failing, done: attempt(webhookId, deliveries, signal) });
    }
    return claimed.length;
  };

  const sweep = async () => {
    if (performance.now() - sweptAt < SWEEP_MS && sweptAt > 0) return;
    sweptAt = performance.now();
    for (const webhook of await webhookQueue.sweep(now())) noteSwitchedOff(logger, webhook);
  };

  const delivering = background({
    backOff: BACK_OFF,
    async work(signal) {
      await sweep();
      const bundled = await webhookQueue.bundleClicks(now());
      const claimed = await claim(signal);
      return bundled === 0 && claimed === 0 ? POLL_MS : 0;
    },
    onFailure(error, failures) {
      if (isNoteworthy(failures)) deps.onLateError(error);
    },
  });
  delivering.start();
  return {
    wake: delivering.wake,
    stop: async () => {
      await delivering.stop();
      await Promise.all([...busy.values()].map(({ done }) => done));
    },
  };
}
