import {
  countingReasons,
  flagged,
  flagOf,
  mostSevere,
  redirectRecord,
  UnstorableData,
  unflagged,
  VERDICTS,
  type VerdictEvent,
} from '@waypost/domain';
import type { Bus, Delivery, LinkCache, Subscription } from '@waypost/ports';
import { inBatches, traceparentOf } from '@waypost/typed-bus';
import type { Decide, LinkStore, UpdateOfLink } from './link-store.port.ts';

interface Deps {
  readonly bus: Pick<Bus, 'subscribe'>;
  readonly cache: Pick<LinkCache, 'put'>;
  readonly links: Pick<LinkStore, 'updateAll'>;
  readonly now: () => Date;
}

/** One transaction locks the links of all its verdicts, so it gets at most this many. */
const AT_ONCE = 500;

/** Reads the topic `verdicts`, which has the results of later scans. A repeated verdict changes nothing. */
export function applyVerdicts(deps: Deps): Promise<Subscription> {
  return deps.bus.subscribe(
    VERDICTS,
    'link-api',
    inBatches('apply verdict', VERDICTS, async (deliveries, park, onProgress) => {
      for (const part of inParts(deliveries)) await applyPart(deps, part, park, onProgress);
    }),
  );
}

/** Splits in order, so that no part has two verdicts on one link. */
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

/** If one verdict can never be stored, applies all one by one. Only that verdict goes to the dead-letter topic. */
async function applyPart(
  deps: Deps,
  part: readonly Delivery<VerdictEvent>[],
  park: (delivery: Delivery<VerdictEvent>, error: Error) => void,
  onProgress: () => void,
): Promise<void> {
  try {
    await applyAll(deps, part);
  } catch (error) {
    if (!(error instanceof UnstorableData)) throw error;
    if (part.length > 1) {
      for (const delivery of part) await applyPart(deps, [delivery], park, onProgress);
      return;
    }
    park(part[0]!, error);
  }
  onProgress();
}

/** Each verdict must be about a different link. Visitors see the new state when this resolves. */
async function applyAll({ links, cache, now }: Deps, verdicts: readonly Delivery<VerdictEvent>[]): Promise<void> {
  const updates = verdicts.map(({ event, message }): UpdateOfLink => {
    const decide = DECISIONS[event.type](event, now);
    return {
      slug: event.slug,
      traceparent: traceparentOf(message),
      decide: (current, history) =>
        current.destinationUrl === event.destination_url ? decide(current, history) : undefined,
    };
  });
  const changedLinks = await links.updateAll(updates);
  // A redelivery would change nothing. If this process dies before the update, the relay updates the cache.
  if (changedLinks.length > 0) await cache.put(changedLinks.map(redirectRecord));
}

const DECISIONS: Record<VerdictEvent['type'], (event: VerdictEvent, now: () => Date) => Decide> = {
  'threat.found': flagging,
  'threat.gone': unflagging,
};

function flagging({ reasons, generation }: VerdictEvent, now: () => Date): Decide {
  return (current, history) => {
    const at = now();
    const counting = countingReasons(reasons, history);
    const threatType = mostSevere(counting.flatMap((reason) => reason.threat_type ?? []));
    if (threatType === null) return undefined;
    const change = flagged(current, { threatType, reasons: counting, generation }, at);
    const verdict = { outcome: 'flagged', threat_type: threatType, reasons: counting } as const;
    return change && { ...change, note: { kind: 'verdict', verdict, generation, at } };
  };
}

/** Clears a flag that came only from lists if no list has the link any more. Other flags need a review. */
function unflagging({ reasons, generation }: VerdictEvent, now: () => Date): Decide {
  const sources = reasons.map(({ rule }) => rule);
  return (current, history) => {
    const at = now();
    const flag = flagOf(history);
    const change = flag && unflagged(current, flag, { sources, generation }, at);
    if (change === undefined) return undefined;
    const flaggedBy = new Set(flag?.reasons.map(({ rule }) => rule));
    const why = reasons.filter(({ rule }) => flaggedBy.has(rule));
    const verdict = { outcome: 'clean', threat_type: null, reasons: why } as const;
    return { ...change, note: { kind: 'verdict', verdict, generation, at } };
  };
}
