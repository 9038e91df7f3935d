/**
 * Owns the current generation and the state on disk, and serialises changes to them. A reader never waits: one
 * assignment replaces the generation once the new one is durable.
 */
import { unavailable } from '@waypost/domain';
import type { SharedThreatData } from '@waypost/ports';
import { type ShippedFeed, shippedFeeds } from '../feeds/shipped-feeds.ts';
import { type RuleSet, rulesWithout } from '../rules/rules.ts';
import type { BuildResult, BuildTask, FeedKeys } from './build-generation.ts';
import { buildInWorker } from './build-in-worker.ts';
import { readCheckedFile } from './checked-file.ts';
import {
  type OwedRescan,
  type PollRecord,
  type ScannerState,
  type StateFolder,
  type StoredFeed,
  stateFolder,
} from './scanner-state.ts';
import { Damaged, fetchState, publishState } from './shared-state.ts';
import type { ThreatDatabase } from './threat-database.ts';
import { type IndexColumns, type PackedKeys, threatIndex } from './threat-index.ts';

export interface Change<Result> {
  readonly state: ScannerState;
  /** Set if the change makes a new generation. */
  readonly database?: ThreatDatabase;
  readonly result: Result;
}

export interface ThreatStore {
  readonly rules: RuleSet;
  /** Undefined while there is no threat data. */
  database(): ThreatDatabase | undefined;
  state(): ScannerState;
  /**
   * The re-scans that this scanner can do. One of all links is for the very feeds and rules of the generation: while
   * versions or settings differ, another scanner may have put it in force.
   */
  owed(): readonly OwedRescan[];
  /** Shipped feeds that no feed of the same name has replaced. */
  shipped(): readonly ShippedFeed[];
  path(file: string): string;
  /** The keys of an `added` or `removed` file; undefined for null, and if they are unreadable. */
  keysIn(file: string | null): PackedKeys | undefined;
  /** Feeds that decide nothing, whatever they hold. */
  readonly feedsOff: ReadonlySet<string>;
  build(task: BuildTask): Promise<BuildResult>;
  /**
   * Runs changes one at a time, in order. Stores what `work` returns, then applies it; if `work` rejects, nothing
   * changes.
   */
  change<Result>(work: (state: ScannerState) => Promise<Change<Result>>): Promise<Result>;
  /** Takes over what another scanner has published. Resolves without, if that is damaged. Rejects if it cannot be read. */
  follow(): Promise<void>;
  /** Runs `work` with the paths of all stored files, in its turn among the changes. */
  still<Result>(work: (files: readonly string[]) => Promise<Result>): Promise<Result>;
}

export interface StoreOptions {
  /** All of them without this. */
  readonly rules?: RuleSet;
  readonly shippedFile?: string;
  readonly feedsOff?: readonly string[];
  readonly onDamage?: (what: string) => void;
  /** Where several scanners have their data in common; without it, all of it is in the folder. */
  readonly shared?: SharedThreatData | undefined;
  /** In a worker, unless a test wants to be faster. */
  readonly build?: (task: BuildTask) => Promise<BuildResult>;
}

/** When other scanners change the data at the same time. */
const MOST_ATTEMPTS = 10;
const FRESH: ScannerState = {
  sequence: 0,
  generation: '',
  rulesVersion: '',
  feeds: [],
  polls: {},
  owed: [],
  removals: [],
  released: {},
};

/** Loads the stored data in any condition. Leaves damaged feeds out, and every link is then scanned again. */
export async function openThreatStore(
  dataDir: string,
  {
    rules = rulesWithout([]),
    shippedFile,
    feedsOff = [],
    onDamage = () => {},
    shared,
    build = buildInWorker,
  }: StoreOptions = {},
): Promise<ThreatStore> {
  const folder = stateFolder(dataDir);
  const loaded = folder.load();
  if (loaded.damaged) onDamage('the state file; using the previous one');
  let state = loaded.state ?? FRESH;
  const off = new Set(feedsOff);
  const allShipped = shippedFeeds(shippedFile);
  const built = await build({ feeds: feedKeys(state, folder, allShipped, off) });
  if (!built.ok) throw new Error(built.problem);
  for (const name of built.unreadable) onDamage(`the keys of feed ${name}`);
  const readable = withoutDamaged(state, built.unreadable);
  // Instead of a damaged feed, the shipped one of its name applies again.
  const result = readable === state ? built : await build({ feeds: feedKeys(readable, folder, allShipped, off) });
  if (!result.ok) throw new Error(result.problem);
  state = inForceFor(readable, result.digest, rules, loaded.damaged);
  if (state !== readable) await folder.save(state);
  let database = databaseOf(state, result.columns);
  /** What the feeds here, shipped ones included, make of the newest state. */
  let ownGeneration = state.generation;

  function databaseOf({ generation }: ScannerState, columns: IndexColumns): ThreatDatabase | undefined {
    return columns.sets.length === 0 ? undefined : { generation, index: threatIndex(columns), rules };
  }

  /** Of what is shared: in force here, and damaged. */
  let version = 0;
  let damaged = 0;
  async function follow(sharedData: SharedThreatData): Promise<void> {
    const newest = await sharedData.version();
    if (newest === 0) {
      version = (await publishState(sharedData, folder, 0, state)) ?? 0;
      return;
    }
    if (newest === version) return;
    const fetched = await fetchState(sharedData, folder);
    if (fetched === undefined) return;
    let next = fetched.state;
    let nextVersion: number | undefined = fetched.version;
    let nextDatabase = database;
    let nextOwn = ownGeneration;
    if (next.generation !== state.generation || (version === 0 && next.rulesVersion !== rules.version)) {
      const adopted = await build({ feeds: feedKeys(next, folder, allShipped, off) });
      if (!adopted.ok) throw new Error(adopted.problem);
      if (adopted.unreadable.length > 0)
        throw new Damaged(`the keys of ${adopted.unreadable.join(', ')}`, fetched.version);
      // Once, so that scanners of two versions do not answer each other for ever.
      if (version === 0) next = inForceFor(next, adopted.digest, rules, false);
      nextDatabase = databaseOf(next, adopted.columns);
      nextOwn = generationName(next.sequence, adopted.digest);
    }
    if (next !== fetched.state) nextVersion = await publishState(sharedData, folder, fetched.version, next);
    if (nextVersion === undefined) return;
    await folder.save(next);
    [state, database, ownGeneration, version] = [next, nextDatabase, nextOwn, nextVersion];
  }
  /** Resolves to false if what is shared is damaged: what is in force here stays. */
  async function tryToFollow(sharedData: SharedThreatData): Promise<boolean> {
    try {
      await follow(sharedData);
      return true;
    } catch (error) {
      if (!(error instanceof Damaged)) throw error;
      damaged = error.version;
      onDamage(error.message);
      return false;
    }
  }
  let queue: Promise<unknown> = Promise.resolve();
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = queue.then(work);
    queue = done.catch(() => {});
    return done;
  }
  return {
    rules,
    database: () => database,
    state: () => state,
    owed: () => {
      const isOurs = state.generation === ownGeneration && state.rulesVersion === rules.version;
      return isOurs ? state.owed : state.owed.filter(({ file }) => file !== null);
    },
    shipped: () => notReplaced(state, allShipped),
    path: (file) => folder.path(file),
    keysIn: (file) => (file === null ? undefined : readCheckedFile(folder.path(file))?.keys),
    feedsOff: off,
    build,
    change: (work) =>
      inTurn(async () => {
        for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
          if (shared !== undefined && !(await tryToFollow(shared))) break;
          const change = await work(state);
          const next = shared === undefined ? 0 : await publishState(shared, folder, version, change.state);
          // Another scanner was first.
          if (next === undefined) continue;
          await folder.save(change.state);
          [state, version] = [change.state, next];
          if (change.database !== undefined) [database, ownGeneration] = [change.database, state.generation];
          return change.result;
        }
        throw unavailable('The threat data cannot be changed right now: other scanners change it, or it is damaged.');
      }),
    follow: async () => {
      if (shared === undefined) return;
      const newest = await shared.version();
      if (newest === 0 || (newest !== version && newest !== damaged)) await inTurn(() => tryToFollow(shared));
    },
    still: (work) => inTurn(() => work(folder.files(state).map((file) => folder.path(file)))),
  };
}

/**
 * The state that the digest of its feeds, with the shipped ones, belongs to: itself or, with new rules, new shipped data
 * or a loss, a new generation, so that all links are scanned again.
 */
function inForceFor(state: ScannerState, digest: string, rules: RuleSet, isNew: boolean): ScannerState {
  const isSame = generationName(state.sequence, digest) === state.generation && !isNew;
  if (isSame && state.rulesVersion === rules.version) return state;
  const sequence = state.sequence + 1;
  const generation = generationName(sequence, digest);
  // Feeds are urgent, rules are not.
  const unfinished = isSame ? state.owed.filter(({ file }) => file !== null) : [];
  const owed = [...unfinished, { generation, file: null, ...(isSame ? { after: '' } : {}) }];
  return { ...state, sequence, generation, rulesVersion: rules.version, owed };
}

export function generationName(sequence: number, digest: string): string {
  return `${sequence}-${digest}`;
}

export function storedKeys(feed: StoredFeed, path: (file: string) => string): FeedKeys {
  const source = { feed: feed.name, threatType: feed.threatType };
  return { source, file: path(feed.file), from: 0, to: feed.entries };
}

/** Records the result of a poll or an import of this feed. */
export function withPoll(state: ScannerState, name: string, record: Partial<PollRecord>): ScannerState {
  const none: PollRecord = { etag: null, lastModified: null, lastError: null, confirmedAt: null };
  return { ...state, polls: { ...state.polls, [name]: { ...none, ...state.polls[name], ...record } } };
}

function feedKeys(
  state: ScannerState,
  folder: StateFolder,
  shipped: readonly ShippedFeed[],
  off: ReadonlySet<string>,
): FeedKeys[] {
  const stored = state.feeds.map((feed) => storedKeys(feed, (file) => folder.path(file)));
  const all = [...notReplaced(state, shipped).map(({ keys }) => keys), ...stored];
  return all.filter(({ source }) => !off.has(source.feed));
}

function notReplaced({ feeds }: ScannerState, shipped: readonly ShippedFeed[]): ShippedFeed[] {
  return shipped.filter(({ name }) => !feeds.some((feed) => feed.name === name));
}

function withoutDamaged(state: ScannerState, damaged: readonly string[]): ScannerState {
  if (!state.feeds.some(({ name }) => damaged.includes(name))) return state;
  const reduced = { ...state, feeds: state.feeds.filter(({ name }) => !damaged.includes(name)) };
  return damaged.reduce<ScannerState>(
    (next, name) =>
      withPoll(next, name, {
        etag: null,
        lastModified: null,
        lastError: 'its stored file was damaged: import it again',
      }),
    reduced,
  );
}
