/** `admin import-feed`, and every update of a polled feed: a new list replaces the one of the same name. */
import { DomainError, isThreatType, THREAT_TYPES } from '@waypost/domain';
import { FEED_FORMATS, isFeedFormat } from '../feeds/formats.ts';
import type { BadLine, Quarantine } from '../feeds/read-feed.ts';
import type { IncomingFeed } from '../threat-index/build-generation.ts';
import {
  newFile,
  type OwedRescan,
  type PollRecord,
  type Removal,
  type ScannerState,
  type StoredFeed,
} from '../threat-index/scanner-state.ts';
import { generationName, storedKeys, type ThreatStore, withPoll } from '../threat-index/threat-store.ts';

interface Deps {
  readonly store: ThreatStore;
  readonly ownHosts: readonly string[];
  readonly now: () => Date;
}

export interface FeedDescription {
  readonly name: string;
  readonly format: string;
  readonly threatType: string;
}

export interface ImportedFeed {
  readonly name: string;
  readonly entries: number;
  /** Unreadable lines, and entries in quarantine, because they might flag far too much. */
  readonly rejected: number;
  /** In force once the import resolves. */
  readonly generation: string;
}

/** Facts of an update from the network. */
export interface PolledUpdate {
  readonly bounds?: IncomingFeed['bounds'];
  readonly record: Partial<PollRecord>;
}

export type FeedContent = { readonly file: string } | { readonly text: string };

type NewFeed = ImportedFeed & {
  readonly badLines: readonly BadLine[];
  readonly quarantined: number;
  readonly added: number;
  readonly removed: number;
};

/** Of a feed. Removals of an hour are one, so as many wait only while none can be worked off; the newest then grows. */
const MOST_REMOVALS = 100;
/** Of an ISO 8601 time: up to its hour. */
const TO_HOUR = 'YYYY-MM-DDTHH'.length;
/** Released entries of one feed. */
const MOST_RELEASED = 1_000;

/** Above this many new entries, scanning every link is cheaper than querying for those that match. */
export const SWEEP_ABOVE = 200_000;

/**
 * All or nothing. Throws `validation_failed` for a bad file (or name, format, type), with its first bad lines in the
 * message and, by line number, in `details`. Stores the generation together with its pending re-scan.
 */
export async function importFeed(
  deps: Deps,
  content: FeedContent,
  description: FeedDescription,
  polled?: PolledUpdate,
): Promise<NewFeed> {
  const checked = checkedDescription(description);
  return replaceFeed(deps, () => ({ ...checked, content }), polled);
}

/**
 * Lets an entry out of the quarantine of its feed, for good. Throws `validation_failed` if it is not there, or if the feed
 * is switched off.
 */
export function releaseEntry(deps: Deps, name: string, entry: string): Promise<NewFeed> {
  return replaceFeed(deps, ({ feeds, released }) => {
    const feed = feeds.find((each) => each.name === name);
    const quarantine = feed?.quarantine;
    if (feed === undefined || quarantine?.entries.some((each) => each.entry === entry) !== true) {
      const message = `The entry is not in the quarantine of a feed "${name}".`;
      throw new DomainError('validation_failed', message, { details: { entry: 'is not in quarantine' } });
    }
    if ((released[name]?.length ?? 0) >= MOST_RELEASED)
      throw new DomainError('validation_failed', `${MOST_RELEASED} entries of this feed are released already.`);
    return { ...feed, content: { also: entry } };
  });
}

type CheckedFeed = Pick<StoredFeed, 'name' | 'format' | 'threatType'>;

interface NextFeed extends CheckedFeed {
  readonly content: FeedContent | { readonly also: string };
}

function replaceFeed(
  { store, ownHosts, now }: Deps,
  nextFeed: (state: ScannerState) => NextFeed,
  polled?: PolledUpdate,
): Promise<NewFeed> {
  return store.change(async (state) => {
    const { name, format, threatType, content } = nextFeed(state);
    if (store.feedsOff.has(name)) throw new BadFeed(name, 'is switched off (FEEDS_OFF)', []);
    const sequence = state.sequence + 1;
    const file = newFile('feed', sequence);
    const addedFile = newFile('added', sequence);
    const removedFile = newFile('removed', sequence);
    const path = (of: string) => store.path(of);
    const before = state.feeds.find((feed) => feed.name === name);
    const at = now().toISOString();
    const { removals } = state;
    const joined = joinedAt(
      at,
      removals.filter(({ feed }) => feed === name),
    );
    const built = await store.build(state, {
      source: { feed: name, threatType },
      format,
      content,
      ownHosts,
      released: state.released[name] ?? [],
      byPerson: polled === undefined,
      ...(polled?.bounds === undefined ? {} : { bounds: polled.bounds }),
      previous:
        before === undefined ? store.shipped().find((feed) => feed.name === name)?.keys : storedKeys(before, path),
      keysFile: path(file),
      addedFile: path(addedFile),
      removedFile: path(removedFile),
      removedBefore: joined && path(joined.file),
    });
    if (!built.ok) throw new BadFeed(name, built.problem, built.badLines);

    const { entries, rejected, badLines, added, removed, quarantine } = built.imported!;
    const generation = generationName(sequence, built.digest);
    const isNew = !('also' in content);
    const feed: StoredFeed = {
      name,
      threatType,
      format,
      origin: isNew || before === undefined ? (polled === undefined ? 'operator' : 'poll') : before.origin,
      file,
      entries,
      updatedAt: isNew || before === undefined ? at : before.updatedAt,
      quarantine: isNew ? quarantine : without(content.also, before?.quarantine),
    };
    const owed: readonly OwedRescan[] =
      added === 0 ? [] : [{ generation, file: added > SWEEP_ABOVE ? null : addedFile }];
    const changed: ScannerState = {
      ...state,
      sequence,
      generation,
      feeds: [...state.feeds.filter((other) => other.name !== name), feed],
      owed: [...state.owed, ...owed],
      removals:
        removed === 0
          ? removals
          : [...removals.filter((each) => each !== joined), { feed: name, file: removedFile, at }],
    };
    const none = { etag: null, lastModified: null, confirmedAt: null };
    const next = isNew
      ? withPoll(changed, name, { lastError: null, ...(polled?.record ?? none) })
      : { ...changed, released: { ...state.released, [name]: [...(state.released[name] ?? []), content.also] } };
    const facts = { badLines, quarantined: quarantine.count, added, removed };
    return { state: next, built, result: { name, entries, rejected, generation, ...facts } };
  });
}

/** The newest of the removals of a feed, if the one of this time joins it. */
function joinedAt(at: string, removals: readonly Removal[]): Removal | undefined {
  const newest = removals.at(-1);
  const isSameHour = newest?.at.slice(0, TO_HOUR) === at.slice(0, TO_HOUR);
  return isSameHour || removals.length >= MOST_REMOVALS ? newest : undefined;
}

function without(entry: string, quarantine: Quarantine = { count: 0, entries: [] }): Quarantine {
  const entries = quarantine.entries.filter((each) => each.entry !== entry);
  return { count: Math.max(entries.length, quarantine.count - 1), entries };
}

function checkedDescription({ name, format, threatType }: FeedDescription): CheckedFeed {
  const details: Record<string, string> = {};
  if (!/^[^\p{C}]{1,64}$/u.test(name) || name.trim() !== name) details.name = 'must be 1 to 64 printable characters';
  if (!isFeedFormat(format)) details.format = `must be one of ${FEED_FORMATS.join(', ')}`;
  if (!isThreatType(threatType)) details.threat_type = `must be one of ${THREAT_TYPES.join(', ')}`;
  if (Object.keys(details).length > 0 || !isFeedFormat(format) || !isThreatType(threatType)) {
    const faults = Object.entries(details).map(([field, problem]) => `${field} ${problem}`);
    throw new DomainError('validation_failed', `The feed was not imported: ${faults.join('; ')}.`, { details });
  }
  return { name, format, threatType };
}

/** The message names the first bad lines, for the operator. */
export class BadFeed extends DomainError {
  /** What is wrong, as the rest of a sentence that starts with "It". */
  readonly problem: string;

  constructor(name: string, problem: string, badLines: readonly BadLine[]) {
    const lines = badLines.map(
      ({ line, text, problem: why }) => [`line ${line}`, `${JSON.stringify(text)}: ${why}`] as const,
    );
    const first = lines.map(([line, what]) => `\n  ${line}: ${what}`).join('');
    super('validation_failed', `Feed "${name}" was not imported; nothing has changed. It ${problem}.${first}`, {
      details: lines.length > 0 ? Object.fromEntries(lines) : { file: problem },
    });
    this.problem = problem;
  }
}
