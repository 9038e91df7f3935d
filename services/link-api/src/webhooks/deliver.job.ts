import { WEBHOOK_LIMITS } from '@waypost/domain';
import { type Background, background, ifNoteworthy } from '@waypost/resilience';
import { type DeliverDeps, deliverWebhook, noteSwitchedOff } from './deliver.ts';
import type { ClaimedDelivery, MessageKind, WebhookQueue } from './webhooks.port.ts';

interface Deps extends DeliverDeps {
  readonly webhookQueue: WebhookQueue;
  readonly webhookConcurrency: number;
  readonly onLateError: (error: unknown) => void;
}

const POLL_MS = 1_000;
const BACK_OFF = { first: POLL_MS, most: 30_000 };
const PER_WEBHOOK = 8;
/** This is longer than the time limit of an attempt, so that its outcome can be recorded after a wait for clicks. */
const LEASE_MS = 3 * WEBHOOK_LIMITS.timeoutMs;
/** A message of clicks has up to 0.6 MB, so this also limits the memory. */
const CLICK_MESSAGES_AT_ONCE = 16;

/** Sends link events and tests. One account has at most a quarter of the attempts. */
export function deliverEvents(deps: Deps): Background {
  const perAccount = Math.ceil(deps.webhookConcurrency / 4);
  return delivering(deps, {
    kind: 'events',
    concurrency: deps.webhookConcurrency,
    perWebhook: PER_WEBHOOK,
    perAccount,
  });
}

/** Sends messages of clicks, of each account one at a time. */
export function deliverClicks(deps: Deps): Background {
  const concurrency = Math.min(CLICK_MESSAGES_AT_ONCE, deps.webhookConcurrency);
  return delivering(deps, { kind: 'clicks', concurrency, perWebhook: 1, perAccount: 1 });
}

interface Attempts {
  readonly accountId: string;
  readonly count: number;
  readonly failing: boolean;
  readonly done: Promise<void>;
}

interface Bounds {
  readonly kind: MessageKind;
  readonly concurrency: number;
  readonly perWebhook: number;
  readonly perAccount: number;
}

/** Failing receivers get at most half of the attempts, so that receivers that hang do not delay others. */
function delivering(deps: Deps, { kind, concurrency, perWebhook, perAccount }: Bounds): Background {
  const { webhookQueue, now } = deps;
  const busy = new Map<string, Attempts>();
  const inFlight = (which: (attempts: Attempts) => boolean) =>
    [...busy.values()].reduce((sum, each) => sum + (which(each) ? each.count : 0), 0);
  const byAccount = () => {
    const counts = new Map<string, number>();
    for (const { accountId, count } of busy.values()) counts.set(accountId, (counts.get(accountId) ?? 0) + count);
    return counts;
  };

  const attempt = async (
    webhookId: string,
    deliveries: readonly ClaimedDelivery[],
    leaseUntil: Date,
    signal: AbortSignal,
  ) => {
    const outcomes = await Promise.allSettled(
      deliveries.map((delivery) => deliverWebhook(deps, delivery, leaseUntil, signal)),
    );
    for (const outcome of outcomes) if (outcome.status === 'rejected') deps.onLateError(outcome.reason);
    busy.delete(webhookId);
    job.wake();
  };

  const job = background({
    backOff: BACK_OFF,
    async work(signal) {
      const limit = concurrency - inFlight(() => true);
      if (limit <= 0) return POLL_MS;
      const at = now();
      const leaseUntil = new Date(at.getTime() + LEASE_MS);
      const claimed = await webhookQueue.claim({
        kind,
        now: at,
        leaseUntil,
        busy: [...busy.keys()],
        attempts: byAccount(),
        perWebhook,
        perAccount,
        limit,
        failing: Math.max(0, Math.ceil(concurrency / 2) - inFlight(({ failing }) => failing)),
      });
      for (const [webhookId, deliveries] of Map.groupBy(claimed, (delivery) => delivery.webhookId)) {
        const [{ accountId, failing }] = deliveries as [ClaimedDelivery];
        const done = attempt(webhookId, deliveries, leaseUntil, signal);
        busy.set(webhookId, { accountId, count: deliveries.length, failing, done });
      }
      return claimed.length === 0 ? POLL_MS : 0;
    },
    onFailure: ifNoteworthy(deps.onLateError),
  });
  return {
    ...job,
    stop: async () => {
      await job.stop();
      await Promise.all([...busy.values()].map(({ done }) => done));
    },
  };
}

const SWEEP_MS = 30_000;
const NEXT_MS = 200;

/** Handles a few webhooks in each pass, so that no pass grows with the installation. */
export function sweepWebhooks({
  webhookQueue,
  logger,
  now,
  onLateError,
}: Pick<Deps, 'webhookQueue' | 'logger' | 'now' | 'onLateError'>): Background {
  let after: string | undefined;
  return background({
    backOff: BACK_OFF,
    async work() {
      const { off, next } = await webhookQueue.sweep(after, now());
      for (const webhook of off) noteSwitchedOff(logger, webhook);
      after = next;
      return next === undefined ? SWEEP_MS : NEXT_MS;
    },
    onFailure: ifNoteworthy(onLateError),
  });
}
