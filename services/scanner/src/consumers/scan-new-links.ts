/** Topic `links`: what the scanner files, and judges again if an import came between its scan and its filing. */
import { parseLinkEvent, TOPICS, UnreadableMessage } from '@waypost/domain';
import type { Bus, BusHandler, Subscription } from '@waypost/ports';
import { fileLinks, type ReceivedLinkEvent } from '../use-cases/file-links.ts';

type Deps = Parameters<typeof fileLinks>[0];

const GROUP = 'scanner';
/** In UTF-16 units: a link event has a destination of at most 2,048 bytes and little else. */
const LONGEST_MESSAGE = 16_384;

export function scanNewLinks(deps: Deps & { readonly bus: Bus }): Promise<Subscription> {
  return deps.bus.subscribe(TOPICS.links, GROUP, newLinksHandler(deps));
}

export function newLinksHandler(deps: Deps): BusHandler {
  return async (messages, park) => {
    const received: ReceivedLinkEvent[] = [];
    for (const message of messages) {
      try {
        if (message.value.length > LONGEST_MESSAGE) throw new UnreadableMessage('too long for a link event');
        received.push({ event: parseLinkEvent(message.value), traceparent: message.headers?.traceparent });
      } catch (error) {
        if (!(error instanceof UnreadableMessage)) throw error;
        await park(message, error);
      }
    }
    await fileLinks(deps, received);
  };
}
