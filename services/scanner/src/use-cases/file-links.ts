/** Topic `links`: files each active link, so that the scanner finds it when a feed lists its destination later. */
import { type LinkEvent, type UrlPolicy, unavailable } from '@waypost/domain';
import type { Bus, ScannedLink, ScannedLinks } from '@waypost/ports';
import type { ThreatStore } from '../threat-index/threat-store.ts';
import { publishThreats } from './rescan-links.ts';
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

/** Keys per statement. An ordinary link has seven, a hostile one up to 256. */
const KEYS_AT_ONCE = 10_000;

/**
 * Files links that became active, drops those that no longer are, and scans again each that another generation than the
 * current one scanned. Events may arrive twice. Rejects if it must be retried.
 */
export async function fileLinks(deps: Deps, received: readonly ReceivedLinkEvent[]): Promise<void> {
  // Events are in order per slug, so the last one is the current state of the link.
  const latest = [...new Map(received.map((one) => [one.event.slug, one])).values()];
  const active = latest.filter(({ event }) => event.status === 'active');
  const inactive = latest.flatMap(({ event }) => (event.status === 'active' ? [] : [event.slug]));
  if (inactive.length > 0) await deps.links.drop(inactive);
  await file(deps, active);

  // Read the generation after filing: an import whose re-scan missed these links is already in force, so none slips
  // through.
  const generation = deps.store.database()?.generation;
  if (generation === undefined) throw unavailable('The threat database is not loaded.');
  const overtaken = active.filter(({ event }) => event.scan_generation !== generation);
  await publishThreats(
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
