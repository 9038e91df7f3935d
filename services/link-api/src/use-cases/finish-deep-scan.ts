import { deepScanned, redirectRecord, UnstorableData, type VerdictEvent } from '@waypost/domain';
import type { LinkCache, LinkStore } from '@waypost/ports';

interface Deps {
  readonly links: Pick<LinkStore, 'update'>;
  readonly cache: Pick<LinkCache, 'announce'>;
  readonly now: () => Date;
}

/**
 * A deep scan ended. Once this resolves, visitors soon need no preview page if the scan says so. A repetition repairs the
 * cache if an earlier attempt died before it wrote there. Throws `UnstorableData` if the store never takes what was found.
 */
export async function finishDeepScan(deps: Deps, done: VerdictEvent): Promise<void> {
  try {
    await finish(deps, done, done.preview_first ?? false);
  } catch (error) {
    // The scanner is done with the link, and without this it would wait for ever.
    if (error instanceof UnstorableData) await finish(deps, { ...done, ...NOT_KNOWN });
    throw error;
  }
}

/** As the scanner reports a link that it could not follow. */
const NOT_KNOWN = {
  outcome: 'warned',
  threat_type: 'suspicious',
  reasons: [{ rule: 'not-followed', evidence: 'it is not known where it ends: the store refused what was found' }],
} as const;

/** Without `previewFirst`, the preview page stays as it is. */
async function finish(deps: Deps, done: VerdictEvent, previewFirst?: boolean): Promise<void> {
  const { slug, destination_url, outcome = 'warned', reasons, generation } = done;
  const threat_type = outcome === 'clean' ? null : done.threat_type;
  const link = await deps.links.update(
    slug,
    (current) =>
      current.destinationUrl === destination_url
        ? deepScanned(current, { previewFirst: previewFirst ?? current.previewFirst, generation }, deps.now())
        : undefined,
    { kind: 'verdict', verdict: { outcome, threat_type, reasons }, generation },
  );
  if (link !== undefined) await deps.cache.announce([redirectRecord(link)]);
}
