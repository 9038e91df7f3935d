import { DomainError, isThreatType, THREAT_TYPES } from '@waypost/domain';
import type { Imported, IncomingFeed } from './build-generation.ts';
import { FEED_FORMATS, isFeedFormat } from './feeds/formats.ts';
import type { BadLine, Quarantine } from './feeds/read-feed.ts';
import {
  newFile,
  type OwnListing,
  type PendingRescan,
  type PollRecord,
  type Removal,
  type ScannerState,
  type StoredFeed,
} from './scanner-state.ts';
import { generationName, storedKeys, type ThreatStore, withPoll } from './threat-store.ts';

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
  /** Unreadable lines, and entries in quarantine. */
  readonly rejected: number;
  /** The generation decides verdicts once the import resolves. */
  readonly generation: string;
}

export interface PolledUpdate {
  readonly bounds?: IncomingFeed['bounds'];
  readonly record: Partial<PollRecord>;
}

export type FeedContent = { readonly file: string } | { readonly text: string };

type NewFeed = ImportedFeed & {
  readonly badLines: readonly BadLine[];
  readonly quarantined: number;
  /** Addresses of this service that the feed did not list before. */
  readonly ownAddresses: readonly string[];
  readonly added: number;
  readonly removed: number;
};

/** The limit for each feed. Removals within an hour become one, and beyond the limit the newest one grows. */
const MOST_REMOVALS = 100;
const TO_HOUR = 'YYYY-MM-DDTHH'.length;
const MOST_RELEASED = 1_000;

/** Above this many new entries, a scan of every link is faster than queries for those that match. */
export const SWEEP_ABOVE = 200_000;

/**
 * All or nothing. Throws `validation_failed` for a bad file, name, format or type, with the first bad lines in the
 * message and, by line number, in `details`. Stores the generation together with its pending re-scan.
 */
export async function importFeed(
  deps: Deps,
  content: FeedContent,
  description: FeedDescription,
  polled?: PolledUpdate,
): Promise<NewFeed> {
  const valid = checkedDescription(description);
  return replaceFeed(deps, () => ({ ...valid, content }), polled);
}

/** Throws `validation_failed` if the entry is not in quarantine, or if the feed is switched off. */
export function releaseEntry(deps: Deps, name: string, entry: string): Promise<NewFeed> {
  return replaceFeed(deps, ({ feeds, released }) => {
    const feed = feeds.find((each) => each.name === name);
    const quarantine = feed?.quarantine;
    if (feed === undefined || quarantine?.entries.some((each) => each.entry === entry) !== true) {
      const message = `The entry is not in the quarantine of the feed "${name}".`;
      throw new DomainError('validation_failed', message, { details: { entry: 'is not in quarantine' } });
    }
    if ((released[name]?.length ?? 0) >= MOST_RELEASED)
      throw new DomainError(
        'validation_failed',
        `This feed has reached its limit of ${MOST_RELEASED} released entries.`,
      );
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
    if (store.feedsOff.has(name)) throw new BadFeed(name, 'is disabled (FEEDS_OFF)', []);
    const sequence = state.sequence + 1;
    const file = newFile('feed', sequence);
    const addedFile = newFile('added', sequence);
    const removedFile = newFile('removed', sequence);
    const path = (of: string) => store.path(of);
    const before = state.feeds.find((feed) => feed.name === name);
    const shipped = store.shipped().find((each) => each.name === name);
    const at = now().toISOString();
    const { removals } = state;
    const removalBefore = removalToJoin(name, at, removals);
    const built = await store.build(state, {
      source: { feed: name, threatType },
      format,
      content,
      ownHosts,
      released: state.released[name] ?? [],
      byPerson: polled === undefined,
      ...(polled?.bounds === undefined ? {} : { bounds: polled.bounds }),
      previous: before === undefined ? shipped?.keys : storedKeys(before, path),
      keysFile: path(file),
      addedFile: path(addedFile),
      removedFile: path(removedFile),
      removedBefore: removalBefore && path(removalBefore.file),
    });
    if (!built.ok) throw new BadFeed(name, built.problem, built.badLines);

    const { entries, rejected, badLines, added, removed, quarantine, own } = built.imported!;
    const generation = generationName(sequence, built.digest);
    const isNew = before === undefined || !('also' in content);
    const feed: StoredFeed = isNew
      ? {
          name,
          threatType,
          format,
          origin: polled === undefined ? 'operator' : 'poll',
          file,
          entries,
          ...lastChange(built.imported!, before ?? shipped, at, newDate(polled?.record, state.polls[name])),
          quarantine,
          own: {
            addresses: listings(own.addresses, before?.own.addresses, at),
            links: listings(own.slugs, before?.own.links, at),
          },
        }
      : { ...before, file, entries, quarantine: withoutEntry(content.also, before.quarantine) };
    const rescans: readonly PendingRescan[] =
      added === 0 ? [] : [{ generation, file: added > SWEEP_ABOVE ? null : addedFile }];
    const nextState: ScannerState = {
      ...state,
      sequence,
      generation,
      feeds: [...state.feeds.filter((other) => other.name !== name), feed],
      owed: [...state.owed, ...rescans],
      removals:
        removed === 0
          ? removals
          : [...removals.filter((each) => each !== removalBefore), { feed: name, file: removedFile, at }],
    };
    const none = { etag: null, lastModified: null, confirmedAt: null };
    const next = isNew
      ? withPoll(nextState, name, { lastError: null, ...(polled?.record ?? none) })
      : { ...nextState, released: { ...state.released, [name]: [...(state.released[name] ?? []), content.also] } };
    const ownBefore = new Set(before?.own.addresses.map(({ entry }) => entry));
    const ownAddresses = feed.own.addresses.flatMap(({ entry }) => (ownBefore.has(entry) ? [] : entry));
    const facts = { badLines, quarantined: quarantine.count, ownAddresses, added, removed };
    return { state: next, built, result: { name, entries, rejected, generation, ...facts } };
  });
}

type LastChange = Pick<StoredFeed, 'updatedAt' | 'datedAt'>;

/** When the content last changed: by a new date in it, by the new `Last-Modified`, or else by comparison. */
function lastChange(
  { datedAt, added, removed }: Pick<Imported, 'datedAt' | 'added' | 'removed'>,
  before: (Pick<LastChange, 'updatedAt'> & Partial<LastChange>) | undefined,
  at: string,
  modifiedAt: string | undefined,
): LastChange {
  const inList = datedAt?.toISOString() ?? null;
  const isChanged = before === undefined || added > 0 || removed > 0;
  const stated = inList !== null && inList !== before?.datedAt ? inList : isChanged ? (modifiedAt ?? at) : undefined;
  const updatedAt = stated ?? before!.updatedAt;
  return { datedAt: inList, updatedAt: updatedAt < at ? updatedAt : at };
}

function newDate(record: Partial<PollRecord> | undefined, last: PollRecord | undefined): string | undefined {
  const text = record?.lastModified ?? null;
  const ms = text === null || text === last?.lastModified ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

function listings(entries: readonly string[], before: readonly OwnListing[] = [], at: string): OwnListing[] {
  const since = new Map(before.map((listing) => [listing.entry, listing.since]));
  return entries.map((entry) => ({ entry, since: since.get(entry) ?? at }));
}

/** Returns the removal with which a removal at this time is combined. */
function removalToJoin(name: string, at: string, removals: readonly Removal[]): Removal | undefined {
  const ofFeed = removals.filter(({ feed }) => feed === name);
  const newest = ofFeed.at(-1);
  const isSameHour = newest?.at.slice(0, TO_HOUR) === at.slice(0, TO_HOUR);
  return isSameHour || ofFeed.length >= MOST_REMOVALS ? newest : undefined;
}

function withoutEntry(entry: string, quarantine: Quarantine = { count: 0, entries: [] }): Quarantine {
  const entries = quarantine.entries.filter((each) => each.entry !== entry);
  return { count: Math.max(entries.length, quarantine.count - 1), entries };
}

function checkedDescription({ name, format, threatType }: FeedDescription): CheckedFeed {
  const details: Record<string, string> = {};
  if (!/^[^\p{C}]{1,64}$/u.test(name) || name.trim() !== name) details.name = 'must have 1 to 64 printable characters';
  if (!isFeedFormat(format)) details.format = `must be one of ${FEED_FORMATS.join(', ')}`;
  if (!isThreatType(threatType)) details.threat_type = `must be one of ${THREAT_TYPES.join(', ')}`;
  if (Object.keys(details).length > 0 || !isFeedFormat(format) || !isThreatType(threatType)) {
    const faults = Object.entries(details).map(([field, problem]) => `${field} ${problem}`);
    throw new DomainError('validation_failed', `The feed was not imported: ${faults.join('; ')}.`, { details });
  }
  return { name, format, threatType };
}

export class BadFeed extends DomainError {
  /** The fault, as the rest of a sentence that starts with "It". */
  readonly problem: string;

  constructor(name: string, problem: string, badLines: readonly BadLine[]) {
    const lines = badLines.map(
      ({ line, text, problem: why }) => [`line ${line}`, `${JSON.stringify(text)}: ${why}`] as const,
    );
    super('validation_failed', `The feed "${name}" was not imported, and nothing was changed. It ${problem}.`, {
      details: lines.length > 0 ? Object.fromEntries(lines) : { file: problem },
    });
    this.problem = problem;
  }
}
