import type { RelayedEvent } from '../links/index.ts';
import { isLinkChange, linkEventBody } from './webhook.ts';
import type { WebhookQueue } from './webhooks.port.ts';

interface Deps {
  readonly webhookQueue: Pick<WebhookQueue, 'queueLinkEvents'>;
  readonly redirectBaseUrl: string;
  readonly now: () => Date;
}

/** Queues messages to the owners of the links. A repeated event queues nothing. Resolves to the number of messages. */
export async function queueLinkEvents(deps: Deps, events: readonly RelayedEvent[]): Promise<number> {
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
  return messages.length === 0 ? 0 : deps.webhookQueue.queueLinkEvents(messages, deps.now());
}
