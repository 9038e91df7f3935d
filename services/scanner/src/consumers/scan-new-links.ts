/**
 * Topic `links`: files each link, scans it again if an import came between its scan and its filing, and queues its deep
 * scan if one is due.
 */
import { LINKS, type LinkEvent } from '@waypost/domain';
import type { Bus, Subscription } from '@waypost/ports';
import { traceparentOf } from '@waypost/typed-bus';
import { fileLinks } from '../use-cases/file-links.ts';

type Deps = Parameters<typeof fileLinks>[0] & {
  readonly noteDeepScans?: ((events: readonly LinkEvent[]) => Promise<void>) | undefined;
};

const GROUP = 'scanner';

export function scanNewLinks(deps: Deps & { readonly bus: Pick<Bus, 'subscribe'> }): Promise<Subscription> {
  return deps.bus.subscribe(LINKS, GROUP, async (deliveries) => {
    await fileLinks(
      deps,
      deliveries.map(({ event, message }) => ({ event, traceparent: traceparentOf(message) })),
    );
    await deps.noteDeepScans?.(deliveries.map(({ event }) => event));
  });
}
