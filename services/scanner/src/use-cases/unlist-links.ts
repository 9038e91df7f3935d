/**
 * When entries have been off a list for long enough, the links that only they flagged are cleared. Not at once: many
 * addresses come back to a list within days.
 */
import { flaggedAs, type UrlPolicy, VERDICTS } from '@waypost/domain';
import type { Bus, ScannedLink, ScannedLinks } from '@waypost/ports';
import type { Logger } from '@waypost/telemetry';
import { encoded } from '@waypost/typed-bus';
import type { Removal } from '../threat-index/scanner-state.ts';
import { addedKeys, type PackedKeys, packKeys, type ThreatIndex } from '../threat-index/threat-index.ts';
import type { ThreatStore } from '../threat-index/threat-store.ts';
import { matchingLinks } from './rescan-links.ts';
import { keysOf, verdictOn } from './scan-urls.ts';
import { turns } from './turns.ts';
import { verdictEvent } from './verdict-event.ts';

interface Deps {
  readonly store: Pick<ThreatStore, 'database' | 'keysIn' | 'state' | 'shipped' | 'feedsOff'>;
  readonly policy: UrlPolicy;
  readonly links: Pick<ScannedLinks, 'matching'>;
  readonly bus: Pick<Bus, 'publishEncoded'>;
  readonly now: () => Date;
}

/** How long an entry must be off a list. */
export const UNLISTED_AFTER_MS = 72 * 3_600_000;

/** The oldest removal that is due. */
export function dueRemoval({ store, now }: Pick<Deps, 'store' | 'now'>): Removal | undefined {
  const oldest = store.state().removals[0];
  return oldest !== undefined && Date.parse(oldest.at) + UNLISTED_AFTER_MS <= now().getTime() ? oldest : undefined;
}

/** Clears the links of the oldest removal. Resolves to whether one was due; rejects if it must be retried. */
export async function unlistDue(
  deps: Deps & { readonly store: ThreatStore; readonly logger: Logger },
  signal: AbortSignal,
): Promise<boolean> {
  const removal = dueRemoval(deps);
  if (removal === undefined) return false;
  const gone = await unlistLinks(deps, removal, signal);
  await deps.store.update((state) => ({
    ...state,
    removals: state.removals.filter(({ file }) => file !== removal.file),
  }));
  deps.logger.info('entries left a feed for good', { feed: removal.feed, since: removal.at, gone });
  return true;
}

/**
 * Publishes `threat.gone` for each flagged link under the removed keys that the whole scan no longer flags, unless a
 * later removal concerns it too and clears it in its turn. Its reasons name every feed in use, since none has listed the
 * link since then; link-api knows what else holds the flag. Resolves to their number once the bus has all of them;
 * rejects if it must be retried.
 */
export async function unlistLinks(deps: Deps, removal: Removal, signal: AbortSignal): Promise<number> {
  const { store, policy, bus, now } = deps;
  const database = store.database();
  const removed = store.keysIn(removal.file);
  if (database === undefined || removed === undefined) return 0;
  const evidence = `not listed since ${removal.at.slice(0, 10)}`;
  const reasons = feedsInUse(deps, removal).map((feed) => ({ rule: `feed:${feed}`, evidence }));
  if (reasons.length === 0) return 0;
  const found = { threat_type: 'suspicious', reasons, generation: database.generation } as const;
  const keys = await stillGone(deps, removal, removed, database.index);
  const seen = new Set<string>();
  const turn = turns();
  let gone = 0;
  for await (const page of matchingLinks(deps, keys, 'flagged')) {
    signal.throwIfAborted();
    const clean: { readonly link: ScannedLink; readonly keys: readonly bigint[] }[] = [];
    for (const link of page) {
      await turn();
      if (seen.has(link.slug)) continue;
      seen.add(link.slug);
      if (flaggedAs(verdictOn(link.destinationUrl, policy, database)) !== null) continue;
      const ownKeys = keysOf(link.destinationUrl, policy).map((key) => BigInt.asUintN(64, BigInt(key)));
      clean.push({ link, keys: ownKeys });
    }
    const silent = new Set(await notRemovedSince(deps, removal, packKeys(clean.flatMap((each) => each.keys))));
    const messages = clean
      .filter((each) => each.keys.every((key) => silent.has(key)))
      .map(({ link }) => encoded(VERDICTS, verdictEvent('threat.gone', link, found, now())));
    if (messages.length > 0) await bus.publishEncoded(VERDICTS, messages);
    gone += messages.length;
  }
  return gone;
}

/** Keys between two turns. */
const KEYS_AT_ONCE = 20_000;

/** What a feed that is switched off listed stays flagged until a review. */
function feedsInUse({ store }: Pick<Deps, 'store'>, { feed }: Removal): string[] {
  const names = [...store.state().feeds, ...store.shipped()].map(({ name }) => name);
  return [...new Set([feed, ...names])].filter((name) => !store.feedsOff.has(name));
}

/** Without the keys of later removals, by whichever feed: those wait their own time. */
async function notRemovedSince(
  { store }: Pick<Deps, 'store'>,
  removal: Removal,
  keys: PackedKeys,
): Promise<PackedKeys> {
  const turn = turns();
  const { removals } = store.state();
  let left = keys;
  for (const { file } of removals.slice(removals.findIndex((each) => each.file === removal.file) + 1)) {
    if (left.length === 0) break;
    await turn();
    const removedLater = store.keysIn(file);
    if (removedLater !== undefined) left = addedKeys(removedLater, left);
  }
  return left;
}

/** Without keys that came back, also if they have gone again. */
async function stillGone(
  deps: Pick<Deps, 'store'>,
  removal: Removal,
  removed: PackedKeys,
  index: ThreatIndex,
): Promise<PackedKeys> {
  const turn = turns();
  const kept: bigint[] = [];
  for (const [at, key] of (await notRemovedSince(deps, removal, removed)).entries()) {
    if (at % KEYS_AT_ONCE === 0) await turn();
    if (!index.find(key)?.some(({ feed }) => feed === removal.feed)) kept.push(key);
  }
  return BigUint64Array.from(kept);
}
