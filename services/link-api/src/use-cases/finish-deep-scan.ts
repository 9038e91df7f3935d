import { deepScanned, redirectRecord, type VerdictEvent } from '@waypost/domain';
import type { LinkCache, LinkStore } from '@waypost/ports';

interface Deps {
  readonly links: Pick<LinkStore, 'update'>;
  readonly cache: Pick<LinkCache, 'announce'>;
  readonly now: () => Date;
}

/**
 * A deep scan ended. Once this resolves, visitors soon need no preview page if the scan says so. A repetition repairs the
 * cache if an earlier attempt died before it wrote there.
 */
export async function finishDeepScan(deps: Deps, done: VerdictEvent): Promise<void> {
  const { slug, destination_url, outcome = 'warned', reasons, generation, preview_first: previewFirst = false } = done;
  const threat_type = outcome === 'clean' ? null : done.threat_type;
  const link = await deps.links.update(
    slug,
    (current) =>
      current.destinationUrl === destination_url
        ? deepScanned(current, { previewFirst, generation }, deps.now())
        : undefined,
    { kind: 'verdict', verdict: { outcome, threat_type, reasons }, generation },
  );
  if (link !== undefined) await deps.cache.announce([redirectRecord(link)]);
}
