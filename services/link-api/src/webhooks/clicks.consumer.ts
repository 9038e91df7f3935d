import { CLICKS, type ClickEvent } from '@waypost/domain';
import type { Bus, BusHandler, Subscription } from '@waypost/ports';
import { background } from '@waypost/resilience';
import { clickData, WEBHOOK_LIMITS } from './webhook.ts';
import type { ClickReceiver, WaitingClicks, WebhookQueue } from './webhooks.port.ts';

interface Deps {
  readonly bus: Pick<Bus, 'subscribe'>;
  readonly webhookQueue: WebhookQueue;
  readonly onLateError: (error: unknown) => void;
}

/** Webhooks have their own consumer group, so that slow ones delay no other consumer. */
const GROUP = 'webhooks';

/** Reads the topic `clicks` and stores clicks until they fill a message. A redelivered click may be in two messages. */
export function keepClicks({ webhookQueue }: Pick<Deps, 'webhookQueue'>): BusHandler<ClickEvent> {
  return async (deliveries) => {
    const clicks = deliveries.map(({ event }) => event);
    const receivers = Map.groupBy(
      await webhookQueue.clickReceivers([...new Set(clicks.map(({ slug }) => slug))]),
      ({ slug }) => slug,
    );
    if (receivers.size === 0) return;
    const subscribed = clicks.flatMap((click) =>
      (receivers.get(click.slug) ?? [])
        .filter(({ since }: ClickReceiver) => click.at >= since.getTime())
        .map(({ webhookId }) => ({ webhookId, click })),
    );
    const bounded = [...Map.groupBy(subscribed, ({ webhookId }) => webhookId)].flatMap(([webhookId, its]) =>
      chunks(its).map(
        (chunk): WaitingClicks => ({
          webhookId,
          count: chunk.length,
          clicks: chunk.map(({ click }) => clickData(click)).join(','),
        }),
      ),
    );
    if (bounded.length > 0) await webhookQueue.keepClicks(bounded);
  };
}

/** A message is made of several chunks of at most this size. */
const CHUNK = WEBHOOK_LIMITS.clicksPerMessage / 4;

function chunks<T>(list: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(list.length / CHUNK) }, (_, i) => list.slice(i * CHUNK, (i + 1) * CHUNK));
}

export interface ClickSubscription {
  refresh(): Promise<void>;
  stop(): Promise<void>;
}

/** Another process notices within this time that a webhook now wants clicks, or that none does any more. */
const REFRESH_MS = 2_000;
const BACK_OFF = { first: REFRESH_MS, most: 30_000 };

/** Subscribes only while a webhook wants clicks, so that the topic costs nothing otherwise. */
export async function subscribeToClicks(deps: Deps): Promise<ClickSubscription> {
  const stopping = new AbortController();
  let subscription: Subscription | undefined;
  let last: Promise<void> = Promise.resolve();

  const update = async () => {
    if (stopping.signal.aborted) return;
    const since = await deps.webhookQueue.clicksWantedSince();
    if (since === undefined) {
      await subscription?.stop({ leaving: true });
      subscription = undefined;
    } else subscription ??= await deps.bus.subscribe(CLICKS, GROUP, keepClicks(deps), { since });
  };
  const refresh = () => {
    const updating = last.then(update);
    last = updating.catch(() => undefined);
    return updating;
  };
  const watching = background({
    backOff: BACK_OFF,
    async work() {
      await refresh();
      return REFRESH_MS;
    },
    onFailure: deps.onLateError,
  });

  await refresh();
  watching.start();
  return {
    refresh,
    stop: async () => {
      stopping.abort();
      await watching.stop();
      await last;
      await subscription?.stop();
    },
  };
}
