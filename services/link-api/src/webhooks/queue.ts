import type { RelayedEvent } from '@waypost/ports';
import { isLinkChange, linkEventBody } from './bodies.ts';
import type { Waker } from './ports.ts';
import type { WebhookQueue } from './webhooks.port.ts';

export interface QueuePorts {
  readonly webhookQueue: Pick<WebhookQueue, 'queueLinkEvents'>;
  readonly webhooking: Pick<Waker, 'emit'>;
  readonly redirectBaseUrl: string;
  readonly now: () => Date;
}

/** Queues messages to the owners of the links. A repeated event queues nothing. Resolves to the number of messages. */
export async function queueLinkEvents(deps: QueuePorts, events: readonly RelayedEvent[]): Promise<number> {
  const messages = events.flatMap(({ event, traceparent }) =>
    isLinkChange(event)
      ? [
          {
            traceparent,
            type: event.type,
            slug: event.slug,
            eventId: `${event.slug} ${event.version}`,
            body: linkEventBody(event, deps.redirectBaseUrl),
            at: new Date(event.at),
          },
        ]
      : [],
  );
  if (messages.length === 0) return 0;
  const messageCount = await deps.webhookQueue.queueLinkEvents(messages, deps.now());
  if (messageCount > 0) deps.webhooking.emit('message');
  return messageCount;
}
