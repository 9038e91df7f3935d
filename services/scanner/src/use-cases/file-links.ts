/** Topic `links`: files each link, so that the scanner finds it when a feed lists its destination, or no longer does. */
import { type LinkEvent, type UrlPolicy, unavailable } from '@waypost/domain';
import type { Bus, FiledLink, LookQueue, ScannedLink, ScannedLinks } from '@waypost/ports';
import type { ThreatStore } from '../threat-index/threat-store.ts';
import { publishThreats } from './rescan-links.ts';
import { keysOf } from './scan-urls.ts';
import { turns } from './turns.ts';

interface Deps {
  readonly store: Pick<ThreatStore, 'database' | 'follow'>;
  readonly links: Pick<ScannedLinks, 'file' | 'drop'>;
  readonly looks: Pick<LookQueue, 'add'>;
  /** Whether a new link is looked at again at once: there are providers that only a look asks. */
  readonly looksAtNewLinks: boolean;
  /** There are new looks. */
  readonly onLooksAdded: () => void;
  readonly policy: UrlPolicy;
  readonly bus: Pick<Bus, 'publishEncoded'>;
  readonly now: () => Date;
}

export interface ReceivedLinkEvent {
  readonly event: LinkEvent;
  readonly traceparent: string | undefined;
}

/** Keys per statement. An ordinary link has seven, a hostile one up to 256. */
const KEYS_AT_ONCE = 10_000;

/**
 * Files links that are active or flagged, drops those that are revoked, and scans again each active one that another
 * generation than the current one scanned. Links that visitors reported, or that this scanner cannot judge, are queued for
 * another look. Events may arrive twice. Rejects if it must be retried.
 */
export async function fileLinks(deps: Deps, received: readonly ReceivedLinkEvent[]): Promise<void> {
  // Events are in order per slug, so the last one is the current state of the link.
  const latest = [...new Map(received.map((one) => [one.event.slug, one])).values()];
  const active = latest.filter(({ event }) => event.status === 'active');
  const gone = latest.flatMap(({ event }) => (event.status === 'revoked' ? [event.slug] : []));
  if (gone.length > 0) await deps.links.drop(gone);
  await file(
    deps,
    latest.filter(({ event }) => event.status !== 'revoked'),
  );

  // After filing: an import whose re-scan missed these links is already in force, so none slips through; of an import
  // elsewhere, once its generation is followed. A scanner that cannot follow, as its disk is full, leaves these links to
  // a look by one that can; why it cannot is in the log, since it tries all the time.
  const isFollowed = await deps.store.follow().then(
    () => true,
    () => false,
  );
  const reported = new Set(received.flatMap(({ event }) => (event.type === 'link.reported' ? [event.slug] : [])));
  const toLookAt = active.filter(({ event }) => !isFollowed || deps.looksAtNewLinks || reported.has(event.slug));
  if (toLookAt.length > 0) {
    await deps.looks.add(
      toLookAt.map(({ event }) => event.slug),
      deps.now(),
    );
    deps.onLooksAdded();
  }

  if (!isFollowed) return;
  const generation = deps.store.database()?.generation;
  if (generation === undefined) throw unavailable('The threat database is not loaded.');
  const overtaken = active.filter(({ event }) => event.scan_generation !== generation);
  await publishThreats(
    deps,
    overtaken.map(({ event, traceparent }) => ({ ...linkOf(event), traceparent })),
  );
}

async function file({ links, policy }: Deps, received: readonly ReceivedLinkEvent[]): Promise<void> {
  const turn = turns();
  let batch: FiledLink[] = [];
  let count = 0;
  for (const { event } of received) {
    await turn();
    const keys = keysOf(event.destination_url, policy);
    batch.push({ ...linkOf(event), keys, flagged: event.status === 'flagged' });
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
