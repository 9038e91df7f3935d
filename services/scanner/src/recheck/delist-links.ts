/** Clears links that only removed entries flagged. It waits, since many addresses come back to a list within days. */

import { type UrlPolicy, VERDICTS } from '@waypost/domain';
import type { Bus } from '@waypost/ports';
import type { Logger } from '@waypost/telemetry';
import { encoded } from '@waypost/typed-bus';
import { addedKeys, type PackedKeys, packKeys } from '../packed-keys.ts';
import { pauses } from '../pauses.ts';
import { judgeLink, keysOfLink } from '../threats/own-links.ts';
import type { Removal } from '../threats/scanner-state.ts';
import type { ThreatIndex } from '../threats/threat-index.ts';
import type { ThreatStore } from '../threats/threat-store.ts';
import { matchingLinks } from './rescan-links.ts';
import type { ScannedLink, ScannedLinks } from './scanned-links.port.ts';
import { verdictEvent } from './verdict-event.ts';

interface Deps {
  readonly store: Pick<ThreatStore, 'database' | 'keysIn' | 'state' | 'shipped' | 'feedsOff'>;
  readonly policy: UrlPolicy;
  readonly links: Pick<ScannedLinks, 'matching'>;
  readonly bus: Pick<Bus, 'publishEncoded'>;
  readonly now: () => Date;
}

export const DELIST_AFTER_MS = 72 * 3_600_000;

export function dueRemoval({ store, now }: Pick<Deps, 'store' | 'now'>): Removal | undefined {
  const oldest = store.state().removals[0];
  return oldest !== undefined && Date.parse(oldest.at) + DELIST_AFTER_MS <= now().getTime() ? oldest : undefined;
}

/** Clears the links of the oldest removal if it is due; resolves to whether it was. Rejects if it must be retried. */
export async function delistDue(
  deps: Deps & { readonly store: ThreatStore; readonly logger: Logger },
  signal: AbortSignal,
): Promise<boolean> {
  const removal = dueRemoval(deps);
  if (removal === undefined) return false;
  const gone = await delistLinks(deps, removal, signal);
  await deps.store.update((state) => ({
    ...state,
    removals: state.removals.filter(({ file }) => file !== removal.file),
  }));
  deps.logger.info('links that a feed no longer lists may be cleared', { feed: removal.feed, since: removal.at, gone });
  return true;
}

/**
 * Publishes `threat.gone` for each flagged link under the removed keys that a scan no longer flags and that no later
 * removal concerns. The reasons name every feed in use, since no feed lists the link; link-api knows what else holds
 * the flag. Resolves to their number once the bus has them; rejects if it must be retried.
 */
export async function delistLinks(deps: Deps, removal: Removal, signal: AbortSignal): Promise<number> {
  const { store, policy, bus, now } = deps;
  const database = store.database();
  const removedKeys = store.keysIn(removal.file);
  if (database === undefined || removedKeys === undefined) return 0;
  const evidence = `not listed since ${removal.at.slice(0, 10)}`;
  const reasons = feedsInUse(deps, removal).map((feed) => ({ rule: `feed:${feed}`, evidence }));
  if (reasons.length === 0) return 0;
  const threat = { threat_type: 'suspicious', reasons, generation: database.generation } as const;
  const keys = await stillAbsent(deps, removal, removedKeys, database.index);
  const slugs = new Set<string>();
  const pause = pauses();
  let cleared = 0;
  for await (const page of matchingLinks(deps, keys, 'flagged')) {
    signal.throwIfAborted();
    const clean: { readonly link: ScannedLink; readonly keys: readonly bigint[] }[] = [];
    for (const link of page) {
      await pause();
      if (slugs.has(link.slug)) continue;
      slugs.add(link.slug);
      if (judgeLink(link, { ...database, policy }).threatType !== null) continue;
      const ownKeys = keysOfLink(link, policy).map((key) => BigInt.asUintN(64, BigInt(key)));
      clean.push({ link, keys: ownKeys });
    }
    const unlisted = new Set(await notRemovedSince(deps, removal, packKeys(clean.flatMap((each) => each.keys))));
    const messages = clean
      .filter((each) => each.keys.every((key) => unlisted.has(key)))
      .map(({ link }) => encoded(VERDICTS, verdictEvent('threat.gone', link, threat, now())));
    if (messages.length > 0) await bus.publishEncoded(VERDICTS, messages);
    cleared += messages.length;
  }
  return cleared;
}

/** The number of keys between two pauses. */
const KEYS_AT_ONCE = 20_000;

/** A link that a switched-off feed listed stays flagged until a review. */
function feedsInUse({ store }: Pick<Deps, 'store'>, { feed }: Removal): string[] {
  const names = [...store.state().feeds, ...store.shipped()].map(({ name }) => name);
  return [...new Set([feed, ...names])].filter((name) => !store.feedsOff.has(name));
}

/** Omits the keys of later removals, because those removals clear their links. */
async function notRemovedSince(
  { store }: Pick<Deps, 'store'>,
  removal: Removal,
  keys: PackedKeys,
): Promise<PackedKeys> {
  const pause = pauses();
  const { removals } = store.state();
  let remaining = keys;
  for (const { file } of removals.slice(removals.findIndex((each) => each.file === removal.file) + 1)) {
    if (remaining.length === 0) break;
    await pause();
    const removedLater = store.keysIn(file);
    if (removedLater !== undefined) remaining = addedKeys(removedLater, remaining);
  }
  return remaining;
}

/** Omits the keys that the feed lists again, or that it removed again later. */
async function stillAbsent(
  deps: Pick<Deps, 'store'>,
  removal: Removal,
  removed: PackedKeys,
  index: ThreatIndex,
): Promise<PackedKeys> {
  const pause = pauses();
  const absent: bigint[] = [];
  for (const [at, key] of (await notRemovedSince(deps, removal, removed)).entries()) {
    if (at % KEYS_AT_ONCE === 0) await pause();
    const sources = index.find(Number(key >> 32n), Number(key & 0xffff_ffffn));
    if (!sources?.some(({ feed }) => feed === removal.feed)) absent.push(key);
  }
  return BigUint64Array.from(absent);
}
