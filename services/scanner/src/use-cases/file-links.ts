/** Topic `links`: the scanner files each active link, to find it again when a feed comes to list its destination. */
import { type LinkEvent, type UrlPolicy, unavailable } from '@waypost/domain';
import type { Bus, ScannedLink, ScannedLinks } from '@waypost/ports';
import type { ThreatStore } from '../threat-index/threat-store.ts';
import { tellThreats } from './rescan-links.ts';
import { keysOf } from './scan-urls.ts';
import { turns } from './turns.ts';

interface Deps {
  readonly store: Pick<ThreatStore, 'database'>;
  readonly links: Pick<ScannedLinks, 'file' | 'drop'>;
  readonly policy: UrlPolicy;
  readonly bus: Pick<Bus, 'publishEncoded'>;
  readonly now: () => Date;
}

export interface ReceivedLinkEvent {
  readonly event: LinkEvent;
  readonly traceparent: string | undefined;
}

/** In one statement; an ordinary link has seven, one that is made to have many 256. */
const KEYS_AT_ONCE = 10_000;

/**
 * Files links that became active, drops those that are so no more, and judges again each that another generation
 * scanned than the one in force. Events may come twice. Rejects if it has to run again.
 */
export async function fileLinks(deps: Deps, received: readonly ReceivedLinkEvent[]): Promise<void> {
  // In order per slug, so the last one says what the link is now.
  const latest = [...new Map(received.map((one) => [one.event.slug, one])).values()];
  const active = latest.filter(({ event }) => event.status === 'active');
  const gone = latest.flatMap(({ event }) => (event.status === 'active' ? [] : [event.slug]));
  if (gone.length > 0) await deps.links.drop(gone);
  await file(deps, active);

  // After the filing: an import whose re-scan looked before it is in force by now, so no link slips through between.
  const generation = deps.store.database()?.generation;
  if (generation === undefined) throw unavailable('The threat database is not loaded.');
  const overtaken = active.filter(({ event }) => event.scan_generation !== generation);
  await tellThreats(
    deps,
    overtaken.map(({ event, traceparent }) => ({ ...linkOf(event), traceparent })),
  );
}

async function file({ links, policy }: Deps, active: readonly ReceivedLinkEvent[]): Promise<void> {
  const turn = turns();
  let batch: (ScannedLink & { readonly keys: readonly string[] })[] = [];
  let count = 0;
  for (const { event } of active) {
    await turn();
    const keys = keysOf(event.destination_url, policy);
    batch.push({ ...linkOf(event), keys });
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
