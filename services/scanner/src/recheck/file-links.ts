import { LINKS, type LinkEvent, type UrlPolicy, unavailable } from '@waypost/domain';
import type { Bus, Delivery, Subscription } from '@waypost/ports';
import { traceparentOf } from '@waypost/typed-bus';
import { pauses } from '../pauses.ts';
import { isListed, keysOfLink } from '../threats/own-links.ts';
import type { ThreatStore } from '../threats/threat-store.ts';
import type { RecheckQueue } from './recheck-queue.port.ts';
import { publishThreats } from './rescan-links.ts';
import type { FiledLink, ScannedLink, ScannedLinks } from './scanned-links.port.ts';

interface Deps {
  readonly store: Pick<ThreatStore, 'database' | 'follow'>;
  readonly links: Pick<ScannedLinks, 'file' | 'drop'>;
  readonly rechecks: Pick<RecheckQueue, 'add'>;
  /** Providers judge new links at their first recheck. */
  readonly rechecksNewLinks: boolean;
  readonly onRechecksAdded: () => void;
  readonly policy: UrlPolicy;
  readonly bus: Pick<Bus, 'publishEncoded' | 'subscribe'>;
  readonly now: () => Date;
}

const GROUP = 'scanner';
/** An ordinary link has eight keys, a hostile one up to 257. */
const KEYS_AT_ONCE = 10_000;

/**
 * Files active and flagged links, so that the scanner finds them when a feed lists their destination or no longer does,
 * and drops revoked ones. Scans an active link again if another generation scanned it. Queues rechecks of links that
 * visitors reported or that this scanner cannot judge.
 */
export function fileLinks(deps: Deps): Promise<Subscription> {
  // A new end changes nothing that a scan reads. Owners may move it often, and providers must not be asked each time.
  const isScanned = ({ event }: Delivery<LinkEvent>) => event.type !== 'link.edited';
  return deps.bus.subscribe(LINKS, GROUP, (deliveries) => handle(deps, deliveries.filter(isScanned)));
}

async function handle(deps: Deps, deliveries: readonly Delivery<LinkEvent>[]): Promise<void> {
  // Events of a slug are in order, so the last one has the current state.
  const latest = [...new Map(deliveries.map((delivery) => [delivery.event.slug, delivery])).values()];
  const active = latest.filter(({ event }) => event.status === 'active');
  const revoked = latest.flatMap(({ event }) => (event.status === 'revoked' ? [event.slug] : []));
  if (revoked.length > 0) await deps.links.drop(revoked);
  await file(
    deps,
    latest.flatMap(({ event }) => (event.status === 'revoked' ? [] : [event])),
  );

  // Links are filed first: an import whose re-scan missed one is then in force, and its generation is followed here. A
  // scanner that cannot follow, because its disk is full, leaves its links to rechecks by others.
  const isFollowed = await deps.store.follow().then(
    () => true,
    () => false,
  );
  const reported = new Set(deliveries.flatMap(({ event }) => (event.type === 'link.reported' ? [event.slug] : [])));
  const rechecks = active.flatMap(({ event: { slug } }) =>
    !isFollowed || deps.rechecksNewLinks || reported.has(slug) ? [slug] : [],
  );
  if (rechecks.length > 0) {
    await deps.rechecks.add(rechecks, deps.now());
    deps.onRechecksAdded();
  }

  if (!isFollowed) return;
  const database = deps.store.database();
  if (database === undefined) throw unavailable('The threat database is not loaded.');
  // The scan of a creation does not know the slug, which a feed may list already.
  const outdated = active.filter(
    ({ event }) => event.scan_generation !== database.generation || isListed(event.slug, database.index),
  );
  await publishThreats(
    deps,
    outdated.map(({ event, message }) => ({ ...linkOf(event), traceparent: traceparentOf(message) })),
  );
}

async function file({ links, policy }: Deps, events: readonly LinkEvent[]): Promise<void> {
  const pause = pauses();
  let batch: FiledLink[] = [];
  let count = 0;
  for (const event of events) {
    await pause();
    const link = linkOf(event);
    const keys = keysOfLink(link, policy);
    batch.push({ ...link, keys, flagged: event.status === 'flagged' });
    count += keys.length;
    if (count < KEYS_AT_ONCE) continue;
    await links.file(batch);
    [batch, count] = [[], 0];
  }
  if (batch.length > 0) await links.file(batch);
}

function linkOf({ slug, destination_url: destinationUrl }: LinkEvent): ScannedLink {
  return { slug, destinationUrl };
}
