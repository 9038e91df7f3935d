/**
 * When entries have been off a list for long enough, the links that only they flagged are cleared. Not at once: many
 * addresses come back to a list within days.
 */
import { flaggedAs, type UrlPolicy, VERDICTS, type VerdictEvent } from '@waypost/domain';
import type { Bus, Encoded, ScannedLinks } from '@waypost/ports';
import { encoded } from '@waypost/typed-bus';
import type { Removal } from '../threat-index/scanner-state.ts';
import { halvesOf, type PackedKeys } from '../threat-index/threat-index.ts';
import type { ThreatStore } from '../threat-index/threat-store.ts';
import { matchingLinks } from './rescan-links.ts';
import { verdictOn } from './scan-urls.ts';
import { turns } from './turns.ts';

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
  const keys = stillGone(deps, removal, removed);
  const seen = new Set<string>();
  const turn = turns();
  let gone = 0;
  for await (const page of matchingLinks(deps, keys, 'flagged')) {
    signal.throwIfAborted();
    const messages: Encoded<VerdictEvent>[] = [];
    for (const { slug, destinationUrl } of page) {
      await turn();
      if (seen.has(slug)) continue;
      seen.add(slug);
      if (flaggedAs(verdictOn(destinationUrl, policy, database)) !== null) continue;
      const evidence = `not listed since ${removal.at.slice(0, 10)}`;
      messages.push(
        encoded(VERDICTS, {
          v: 1,
          type: 'threat.gone',
          slug,
          destination_url: destinationUrl,
          threat_type: 'suspicious',
          reasons: [{ rule: `feed:${removal.feed}`, evidence }],
          generation: database.generation,
          at: now().toISOString(),
        }),
      );
    }
    if (messages.length > 0) await bus.publishEncoded(VERDICTS, messages);
    gone += messages.length;
  }
  return gone;
}

/** Without keys that came back, also if they have gone again: those wait their own time. */
function stillGone({ store }: Deps, removal: Removal, removed: PackedKeys): Uint32Array {
  const { index } = store.database()!;
  const later = (store.state().removals ?? []).filter((each) => each.feed === removal.feed && each.at > removal.at);
  const goneAgain = new Set(later.flatMap(({ file }) => [...(store.keysIn(file) ?? [])]));
  const halves = halvesOf(removed);
  return halvesOf(
    removed.filter((key, at) => {
      const sources = index.find(halves[2 * at + 1]!, halves[2 * at]!) ?? [];
      return !goneAgain.has(key) && !sources.some(({ feed }) => feed === removal.feed);
    }),
  );
}
