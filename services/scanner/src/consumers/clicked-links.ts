/**
 * Topic `clicks`: what visitors are sent to is looked at again, at most once per host and day, off the path of the
 * redirect. A destination that was harmless when its link was made may not be harmless for ever.
 */
import { CLICKS, type ClickEvent } from '@waypost/domain';
import type { Bus, BusHandler, LookQueue, ScannedLinks, Subscription } from '@waypost/ports';
import { type Background, background } from '@waypost/resilience';
import { type Logger, warnOfRetries } from '@waypost/telemetry';

interface Deps {
  readonly bus: Pick<Bus, 'subscribe'>;
  readonly links: Pick<ScannedLinks, 'find'>;
  readonly looks: Pick<LookQueue, 'addForHosts'>;
  readonly logger: Logger;
  readonly now: () => Date;
  /** There are new looks. */
  readonly onAdded: () => void;
}

const GROUP = 'scanner';
const DAY_MS = 86_400_000;
const EVERY_MS = 5_000;
/** Slugs that were clicked within a day; beyond, some are asked about again, which only costs a query. */
const REMEMBERED = 50_000;
/** Slugs that wait; further ones are left to their next click. */
const WAITING = 10_000;
const AT_ONCE = 500;

export interface ClickedLinks {
  readonly handler: BusHandler<ClickEvent>;
  /** Queues looks for the slugs so far. Resolves to whether some are left. */
  readonly queueLooks: () => Promise<boolean>;
}

/** The handler only remembers slugs: a click neither waits for the database nor comes again because of it. */
export function clickedLinks({ links, looks, now, onAdded }: Omit<Deps, 'bus' | 'logger'>): ClickedLinks {
  const seen = new Map<string, number>();
  const waiting = new Set<string>();

  return {
    handler: async (deliveries) => {
      const at = now().getTime();
      for (const { event } of deliveries) {
        const before = seen.get(event.slug);
        if ((before !== undefined && at - before < DAY_MS) || waiting.size >= WAITING) continue;
        if (seen.size >= REMEMBERED) seen.clear();
        seen.set(event.slug, at);
        waiting.add(event.slug);
      }
    },
    async queueLooks() {
      const slugs = [...waiting].slice(0, AT_ONCE);
      if (slugs.length === 0) return false;
      const byHost = new Map<string, string>();
      for (const { slug, destinationUrl } of await links.find(slugs)) {
        const host = URL.parse(destinationUrl)?.hostname;
        if (host !== undefined && !byHost.has(host)) byHost.set(host, slug);
      }
      const at = now();
      const clickedHosts = [...byHost].map(([host, slug]) => ({ host, slug }));
      if ((await looks.addForHosts(clickedHosts, at, new Date(at.getTime() - DAY_MS))) > 0) onAdded();
      for (const slug of slugs) waiting.delete(slug);
      return waiting.size > 0;
    },
  };
}

/** Clicks of before do not matter. */
export async function lookAtClickedLinks(deps: Deps): Promise<Background> {
  const clicked = clickedLinks(deps);
  const queueing = background({
    work: async () => ((await clicked.queueLooks()) ? 0 : EVERY_MS),
    onFailure: warnOfRetries(deps.logger, 'queueing looks at clicked links'),
  });
  const subscription: Subscription = await deps.bus.subscribe(CLICKS, GROUP, clicked.handler, { since: deps.now() });
  return {
    ...queueing,
    stop: async () => {
      await Promise.all([subscription.stop(), queueing.stop()]);
    },
  };
}
