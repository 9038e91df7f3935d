/** Rechecks links that visitors click, once per host and day: a harmless destination may become harmful. */

import { CLICKS, type ClickEvent } from '@waypost/domain';
import type { Bus, BusHandler } from '@waypost/ports';
import { type Background, background } from '@waypost/resilience';
import { type Logger, warnOfRetries } from '@waypost/telemetry';
import type { RecheckQueue } from './recheck-queue.port.ts';
import type { ScannedLinks } from './scanned-links.port.ts';

interface Deps {
  readonly bus: Pick<Bus, 'subscribe'>;
  readonly links: Pick<ScannedLinks, 'find'>;
  readonly rechecks: Pick<RecheckQueue, 'addForHosts'>;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly onAdded: () => void;
}

const GROUP = 'scanner';
const DAY_MS = 86_400_000;
const EVERY_MS = 5_000;
/** The number of remembered slugs. A slug that is clicked and not remembered costs another query. */
const REMEMBERED = 50_000;
/** The number of slugs in the queue. A link beyond it is queued at its next click. */
const WAITING = 10_000;
const AT_ONCE = 500;

export function clickedLinks({ links, rechecks, now, onAdded }: Omit<Deps, 'bus' | 'logger'>) {
  const clickTimes = new Map<string, number>();
  const waiting = new Set<string>();

  /** Only stores slugs, so clicks do not wait for the database. */
  const handler: BusHandler<ClickEvent> = async (deliveries) => {
    const at = now().getTime();
    for (const { event } of deliveries) {
      const before = clickTimes.get(event.slug);
      if ((before !== undefined && at - before < DAY_MS) || waiting.size >= WAITING) continue;
      if (clickTimes.size >= REMEMBERED) clickTimes.clear();
      clickTimes.set(event.slug, at);
      waiting.add(event.slug);
    }
  };

  return {
    handler,
    /** Resolves to whether more slugs wait. */
    async queueRechecks(): Promise<boolean> {
      const slugs = [...waiting].slice(0, AT_ONCE);
      if (slugs.length === 0) return false;
      const byHost = new Map<string, string>();
      for (const { slug, destinationUrl } of await links.find(slugs)) {
        const host = URL.parse(destinationUrl)?.hostname;
        if (host !== undefined && !byHost.has(host)) byHost.set(host, slug);
      }
      const at = now();
      const clickedHosts = [...byHost].map(([host, slug]) => ({ host, slug }));
      if ((await rechecks.addForHosts(clickedHosts, at, new Date(at.getTime() - DAY_MS))) > 0) onAdded();
      for (const slug of slugs) waiting.delete(slug);
      return waiting.size > 0;
    },
  };
}

export async function recheckClickedLinks(deps: Deps): Promise<Background> {
  const clicked = clickedLinks(deps);
  const queueing = background({
    work: async () => ((await clicked.queueRechecks()) ? 0 : EVERY_MS),
    onFailure: warnOfRetries(deps.logger, 'queueing rechecks of clicked links'),
  });
  const subscription = await deps.bus.subscribe(CLICKS, GROUP, clicked.handler, { since: deps.now() });
  return {
    ...queueing,
    stop: async () => {
      await Promise.all([subscription.stop(), queueing.stop()]);
    },
  };
}
