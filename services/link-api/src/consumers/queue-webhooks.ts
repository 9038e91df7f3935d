import {
  CLICKS,
  type ClickEvent,
  clickData,
  isLinkChange,
  LINKS,
  linkEventBody,
  WEBHOOK_LIMITS,
} from '@waypost/domain';
import type { Bus, BusHandler, ClickReceiver, Subscription, WaitingClicks, WebhookQueue } from '@waypost/ports';
import { background } from '@waypost/resilience';

interface Deps {
  readonly bus: Pick<Bus, 'subscribe'>;
  readonly webhookQueue: WebhookQueue;
  /** Without a trailing slash. */
  readonly redirectBaseUrl: string;
  readonly now: () => Date;
  readonly onLateError: (error: unknown) => void;
}

/** The consumer group, of its own for each topic: what is slow here delays nobody else. */
const GROUP = 'webhooks';

/** Topic `links`: messages for the owners of the links. `onQueued` is told when there are new ones. */
export function queueLinkEvents(deps: Deps, onQueued: () => void): Promise<Subscription> {
  return deps.bus.subscribe(LINKS, GROUP, async (deliveries) => {
    const changes = deliveries.map(({ event }) => event).filter(isLinkChange);
    const messages = changes.map((event) => ({
      type: event.type,
      slug: event.slug,
      eventId: `${event.slug} ${event.version}`,
      body: linkEventBody(event, deps.redirectBaseUrl),
      at: new Date(event.at),
    }));
    if ((await deps.webhookQueue.queueLinkEvents(messages, deps.now())) > 0) onQueued();
  });
}

/** Topic `clicks`: kept until they make a message. A click that the bus brings twice may be in two. */
export function keepClicks({ webhookQueue }: Pick<Deps, 'webhookQueue'>): BusHandler<ClickEvent> {
  return async (deliveries) => {
    const clicks = deliveries.map(({ event }) => event);
    const receivers = Map.groupBy(
      await webhookQueue.clickReceivers([...new Set(clicks.map(({ slug }) => slug))]),
      ({ slug }) => slug,
    );
    if (receivers.size === 0) return;
    const wanted = clicks.flatMap((click) =>
      (receivers.get(click.slug) ?? [])
        .filter(({ since }: ClickReceiver) => click.at >= since.getTime())
        .map(({ webhookId }) => ({ webhookId, click })),
    );
    const kept = [...Map.groupBy(wanted, ({ webhookId }) => webhookId)].flatMap(([webhookId, its]) =>
      chunks(its).map(
        (chunk): WaitingClicks => ({
          webhookId,
          count: chunk.length,
          clicks: chunk.map(({ click }) => clickData(click)).join(','),
        }),
      ),
    );
    if (kept.length > 0) await webhookQueue.keepClicks(kept);
  };
}

/** Small enough that several fill a message. */
const CHUNK = WEBHOOK_LIMITS.clicksPerMessage / 4;

function chunks<T>(list: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(list.length / CHUNK) }, (_, i) => list.slice(i * CHUNK, (i + 1) * CHUNK));
}

export interface ClickSubscription {
  /** Subscribes or unsubscribes at once if that has changed. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
}

/** How late another process notices that the first webhook wants clicks, or that none does any more. */
const REFRESH_MS = 2_000;
const BACK_OFF = { first: REFRESH_MS, most: 30_000 };

/** Subscribed only while some webhook wants clicks: nobody else pays for them. */
export async function subscribeToClicks(deps: Deps): Promise<ClickSubscription> {
  const stopping = new AbortController();
  let subscription: Subscription | undefined;
  let last: Promise<void> = Promise.resolve();

  const look = async () => {
    if (stopping.signal.aborted) return;
    const since = await deps.webhookQueue.clicksWantedSince();
    if (since === undefined) {
      await subscription?.stop({ leaving: true });
      subscription = undefined;
    } else subscription ??= await deps.bus.subscribe(CLICKS, GROUP, keepClicks(deps), { since });
  };
  /** One after the other. */
  const refresh = () => {
    const looked = last.then(look);
    last = looked.catch(() => undefined);
    return looked;
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
