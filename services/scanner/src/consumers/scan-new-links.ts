/**
 * Topic `links`: a link that was scanned by an older generation than the one in force (an import happened between its
 * scan and its birth, and its re-scan cannot have seen it) is looked at again.
 */
import { parseLinkEvent, TOPICS, UnreadableMessage, type UrlPolicy, unavailable } from '@waypost/domain';
import type { Bus, BusHandler, Subscription } from '@waypost/ports';
import type { ThreatStore } from '../threat-index/threat-store.ts';
import { type ExistingLink, tellThreats } from '../use-cases/rescan-links.ts';

interface Deps {
  readonly store: Pick<ThreatStore, 'database'>;
  readonly policy: UrlPolicy;
  readonly bus: Bus;
  readonly now: () => Date;
}

const GROUP = 'scanner';
/** In UTF-16 units: a link event has a destination of at most 2,048 bytes and little else. */
const LONGEST_MESSAGE = 16_384;

export function scanNewLinks(deps: Deps): Promise<Subscription> {
  return deps.bus.subscribe(TOPICS.links, GROUP, newLinksHandler(deps));
}

export function newLinksHandler(deps: Deps): BusHandler {
  return async (messages, park) => {
    const database = deps.store.database();
    if (database === undefined) throw unavailable('The threat database is not loaded.');
    const links: ExistingLink[] = [];
    for (const message of messages) {
      try {
        if (message.value.length > LONGEST_MESSAGE) throw new UnreadableMessage('too long for a link event');
        const event = parseLinkEvent(message.value);
        const isNew = event.type === 'link.created' && event.status === 'active';
        if (!isNew || event.scan_generation === database.generation) continue;
        const { slug, destination_url: destinationUrl } = event;
        links.push({ slug, destinationUrl, traceparent: message.headers?.traceparent });
      } catch (error) {
        if (!(error instanceof UnreadableMessage)) throw error;
        await park(message, error);
      }
    }
    await tellThreats(deps, links);
  };
}
