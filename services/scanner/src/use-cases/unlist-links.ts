/**
 * When entries have been off a list for long enough, the links that only they flagged are cleared. Not at once: many
 * addresses come back to a list within days.
 */
import { flaggedAs, type UrlPolicy, VERDICTS, type VerdictEvent } from '@waypost/domain';
import type { Bus, Encoded, ScannedLinks } from '@waypost/ports';
import { encoded } from '@waypost/typed-bus';
import type { Removal } from '../threat-index/scanner-state.ts';
import { addedKeys, halvesOf, type PackedKeys, type ThreatIndex } from '../threat-index/threat-index.ts';
import type { ThreatStore } from '../threat-index/threat-store.ts';
import { matchingLinks } from './rescan-links.ts';
import { verdictOn } from './scan-urls.ts';
import { turns } from './turns.ts';
import { verdictEvent } from './verdict-event.ts';

interface Deps {
  readonly store: Pick<ThreatStore, 'database' | 'keysIn' | 'state'>;
  readonly policy: UrlPolicy;
  readonly links: Pick<ScannedLinks, 'matching'>;
  readonly bus: Pick<Bus, 'publishEncoded'>;
  readonly now: () => Date;
}

/** How long an entry must be off a list. */
export const UNLISTED_AFTER_MS = 72 * 3_600_000;

/** The oldest removal that is due. */
export function dueRemoval({ store, now }: Pick<Deps, 'store' | 'now'>): Removal | undefined {
  const oldest = store.state().removals?.[0];
  return oldest !== undefined && Date.parse(oldest.at) + UNLISTED_AFTER_MS <= now().getTime() ? oldest : undefined;
}

/**
 * Publishes `threat.gone` for each flagged link under the removed keys that the whole scan no longer flags; link-api
 * knows what else holds the flag. Resolves to their number once the bus has all of them; rejects if it must be retried.
 */
export async function unlistLinks(deps: Deps, removal: Removal, signal: AbortSignal): Promise<number> {
  const { store, policy, bus, now } = deps;
  const database = store.database();
  const removed = store.keysIn(removal.file);
  if (database === undefined || removed === undefined) return 0;
  const keys = await stillGone(deps, removal, removed, database.index);
  const seen = new Set<string>();
  const turn = turns();
  let gone = 0;
  for await (const page of matchingLinks(deps, keys, 'flagged')) {
    signal.throwIfAborted();
    const messages: Encoded<VerdictEvent>[] = [];
    for (const link of page) {
      await turn();
      if (seen.has(link.slug)) continue;
      seen.add(link.slug);
      if (flaggedAs(verdictOn(link.destinationUrl, policy, database)) !== null) continue;
      const reasons = [{ rule: `feed:${removal.feed}`, evidence: `not listed since ${removal.at.slice(0, 10)}` }];
      const found = { threat_type: 'suspicious', reasons, generation: database.generation } as const;
      messages.push(encoded(VERDICTS, verdictEvent('threat.gone', link, found, now())));
    }
    if (messages.length > 0) await bus.publishEncoded(VERDICTS, messages);
    gone += messages.length;
  }
  return gone;
}

/** Keys between two turns. */
const KEYS_AT_ONCE = 20_000;

/** Without keys that came back, also if they have gone again: those wait their own time. */
async function stillGone(
  { store }: Pick<Deps, 'store'>,
  removal: Removal,
  removed: PackedKeys,
  index: ThreatIndex,
): Promise<Uint32Array> {
  const turn = turns();
  let gone = removed;
  for (const { feed, at, file } of store.state().removals ?? []) {
    if (feed !== removal.feed || at <= removal.at) continue;
    await turn();
    const goneAgain = store.keysIn(file);
    if (goneAgain !== undefined) gone = addedKeys(goneAgain, gone);
  }
  const halves = halvesOf(gone);
  const kept = new Uint32Array(halves.length);
  let size = 0;
  for (let at = 0; at < halves.length; at += 2) {
    if (at % (2 * KEYS_AT_ONCE) === 0) await turn();
    const [low, high] = [halves[at]!, halves[at + 1]!];
    if (index.find(high, low)?.some(({ feed }) => feed === removal.feed)) continue;
    kept[size++] = low;
    kept[size++] = high;
  }
  return kept.subarray(0, size);
}
