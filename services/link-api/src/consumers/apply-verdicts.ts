import {
  deepScanned,
  flagged,
  mostSevere,
  redirectRecord,
  UnstorableData,
  unflagged,
  VERDICTS,
  type VerdictEvent,
} from '@waypost/domain';
import type { Bus, Delivery, FlagEvidence, LinkCache, LinkStore, Subscription, UpdateOfLink } from '@waypost/ports';
import { inBatches, traceparentOf } from '@waypost/typed-bus';

interface Deps {
  readonly bus: Pick<Bus, 'subscribe'>;
  readonly cache: Pick<LinkCache, 'put'>;
  readonly links: Pick<LinkStore, 'updateAll' | 'clearedEvidence' | 'flagEvidence'>;
  readonly now: () => Date;
}

/** Verdicts that are applied together: one transaction, which locks so many links. */
const AT_ONCE = 500;

/** Topic `verdicts`: what later scans found. Applying a verdict twice changes nothing more. */
export function applyVerdicts(deps: Deps): Promise<Subscription> {
  return deps.bus.subscribe(
    VERDICTS,
    'link-api',
    inBatches('apply verdict', async (deliveries, park, onProgress) => {
      for (const part of inParts(deliveries)) {
        try {
          await applyAll(deps, part);
        } catch (error) {
          if (!(error instanceof UnstorableData)) throw error;
          await applyEach(deps, part, park, onProgress);
        }
        onProgress();
      }
    }),
  );
}

/** In order. Of several verdicts on one link, each is in a part of its own. */
function* inParts(deliveries: readonly Delivery<VerdictEvent>[]): Generator<readonly Delivery<VerdictEvent>[]> {
  let part = new Map<string, Delivery<VerdictEvent>>();
  for (const delivery of deliveries) {
    const { slug } = delivery.event;
    if (part.size === AT_ONCE || part.has(slug)) {
      yield [...part.values()];
      part = new Map();
    }
    part.set(slug, delivery);
  }
  if (part.size > 0) yield [...part.values()];
}

/** For a part with a verdict that the store never takes: that one is parked, and the others are applied. */
async function applyEach(
  deps: Deps,
  part: readonly Delivery<VerdictEvent>[],
  park: (delivery: Delivery<VerdictEvent>, error: Error) => void,
  onProgress: () => void,
): Promise<void> {
  for (const delivery of part) {
    try {
      await applyAll(deps, [delivery]);
    } catch (error) {
      if (!(error instanceof UnstorableData)) throw error;
      // The scanner is done with the link, which would wait for ever for the end of its deep scan.
      if (delivery.event.type === 'deep_scan.done') {
        const { preview_first: _, ...event } = delivery.event;
        await applyAll(deps, [{ ...delivery, event: { ...event, ...NOT_KNOWN } }]);
      }
      park(delivery, error);
    }
    onProgress();
  }
}

/** As the scanner reports a link that it could not follow. */
const NOT_KNOWN = {
  outcome: 'warned',
  threat_type: 'suspicious',
  reasons: [{ rule: 'not-followed', evidence: 'it is not known where it ends: the store refused what was found' }],
} as const;

/** Each is about another link. Once it resolves, visitors get the new state; of links that did not change, nobody is told. */
async function applyAll({ links, cache, now }: Deps, verdicts: readonly Delivery<VerdictEvent>[]): Promise<void> {
  const slugsOf = (type: VerdictEvent['type']) =>
    verdicts.flatMap(({ event }) => (event.type === type ? [event.slug] : []));
  const [found, gone] = [slugsOf('threat.found'), slugsOf('threat.gone')];
  const [cleared, flags] = await Promise.all([
    found.length > 0 ? links.clearedEvidence(found) : new Map<string, readonly string[]>(),
    gone.length > 0 ? links.flagEvidence(gone) : new Map<string, FlagEvidence>(),
  ]);
  const updates = verdicts.flatMap(({ event, message }): UpdateOfLink[] => {
    const update = updateFor(event, { cleared: cleared.get(event.slug), flag: flags.get(event.slug), now });
    if (update === undefined) return [];
    const { change, ...others } = update;
    const isSame = (url: string) => url === event.destination_url;
    return [
      {
        ...others,
        slug: event.slug,
        traceparent: traceparentOf(message),
        change: (current) => (isSame(current.destinationUrl) ? change(current) : undefined),
      },
    ];
  });
  if (updates.length === 0) return;
  const changed = await links.updateAll(updates);
  // A redelivery finds nothing to change: if this process dies here, the relay tells the cache.
  if (changed.length > 0) await cache.put(changed.map(redirectRecord));
}

interface Evidence {
  readonly cleared: readonly string[] | undefined;
  readonly flag: FlagEvidence | undefined;
  readonly now: () => Date;
}

type Update = Pick<UpdateOfLink, 'change' | 'note'>;

function updateFor(event: VerdictEvent, evidence: Evidence): Update | undefined {
  if (event.type === 'threat.found') return flagging(event, evidence);
  if (event.type === 'threat.gone') return unflagging(event, evidence);
  return finishingDeepScan(event, evidence);
}

/** Evidence that a review cleared does not count again; evidence from another source does. */
function flagging({ reasons, generation }: VerdictEvent, { cleared = [], now }: Evidence): Update | undefined {
  const before = new Set(cleared);
  const counting = reasons.filter(({ rule, evidence }) => !before.has(`${rule} ${evidence}`));
  const threatType = mostSevere(counting.flatMap((reason) => reason.threat_type ?? []));
  if (threatType === null) return undefined;
  return {
    change: (current) => flagged(current, { threatType, reasons: counting, generation }, now()),
    note: {
      kind: 'verdict',
      verdict: { outcome: 'flagged', threat_type: threatType, reasons: counting },
      generation,
    },
  };
}

/** Clears a link that only lists had flagged, as none lists it any more; a review decides about any other. */
function unflagging({ reasons, generation }: VerdictEvent, { flag, now }: Evidence): Update | undefined {
  if (flag === undefined) return undefined;
  const sources = reasons.map(({ rule }) => rule);
  const flaggedBy = new Set(flag.reasons.map(({ rule }) => rule));
  const why = reasons.filter(({ rule }) => flaggedBy.has(rule));
  return {
    change: (current) =>
      current.version === flag.version ? unflagged(current, flag, { sources, generation }, now()) : undefined,
    note: { kind: 'verdict', verdict: { outcome: 'clean', threat_type: null, reasons: why }, generation },
  };
}

/** Visitors soon need no preview page, if the scan says so. */
function finishingDeepScan(event: VerdictEvent, { now }: Evidence): Update {
  const { outcome = 'warned', reasons, generation } = event;
  return {
    change: (current) =>
      deepScanned(current, { previewFirst: event.preview_first ?? current.previewFirst, generation }, now()),
    note: {
      kind: 'verdict',
      verdict: { outcome, threat_type: outcome === 'clean' ? null : event.threat_type, reasons },
      generation,
    },
  };
}
