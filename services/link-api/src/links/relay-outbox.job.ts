import { LINKS, redirectRecord, UnreadableMessage } from '@waypost/domain';
import type { Bus, LinkCache, Outbox, OutboxRow, RelayedEvent } from '@waypost/ports';
import { recordSpans } from '@waypost/telemetry';
import { traceparentOf } from '@waypost/typed-bus';
import type { LinkStore } from './link-store.port.ts';

interface Deps {
  readonly outbox: Outbox;
  readonly bus: Pick<Bus, 'publishEncoded'>;
  readonly cache: Pick<LinkCache, 'put'>;
  readonly links: Pick<LinkStore, 'findAll'>;
  /** Queues messages to the owners' webhooks. This may be called twice with the same events. */
  readonly queueWebhooks: (events: readonly RelayedEvent[]) => Promise<unknown>;
  readonly onLateError: (error: unknown) => void;
}

/** Events wait at most this long for webhook messages that cannot be queued. Then these messages are lost. */
const HELD_MS = 10_000;

/**
 * Publishes committed events in order. It first updates the cache, in case the process that changed a link died before
 * it could do so. It queues webhooks while it publishes: an outage of Kafka delays only those of events after the first
 * batch, and a queue that fails does not hold events up.
 */
export function relayOutbox(deps: Deps, heldMs = HELD_MS): Promise<{ stop(): Promise<void> }> {
  let failingSince: number | undefined;
  return deps.outbox.drain(async (rows) => {
    const events = rows.flatMap(readable);
    const changedSlugs = new Set(
      events.filter(({ event }) => event.type !== 'link.created').map(({ event }) => event.slug),
    );
    if (changedSlugs.size > 0) await deps.cache.put((await deps.links.findAll([...changedSlugs])).map(redirectRecord));
    const queueing = deps.queueWebhooks(events).then(
      () => undefined,
      (cause: unknown) => new Error(`the webhook messages of ${events.length} events cannot be queued`, { cause }),
    );
    const startedAt = Date.now();
    await deps.bus.publishEncoded(LINKS, rows);
    recordSpans('send link event', rows, traceparentOf, () => startedAt, Date.now(), {
      operation: 'send',
      destination: LINKS.name,
    });
    const failure = await queueing;
    failingSince = failure && (failingSince ?? startedAt);
    if (failure === undefined) return;
    if (Date.now() - failingSince! < heldMs) throw failure;
    deps.onLateError(failure);
  });
}

/** A later version may have written events that this process cannot read. They are published unchanged. */
function readable(row: OutboxRow): readonly RelayedEvent[] {
  try {
    return [{ event: LINKS.decode(row.value), traceparent: traceparentOf(row) }];
  } catch (error) {
    if (error instanceof UnreadableMessage) return [];
    throw error;
  }
}
