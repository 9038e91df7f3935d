/**
 * Owns the current generation and the state on disk, and serialises changes to them. A reader never waits: one
 * assignment replaces the generation once the new one is durable.
 */
import { type ShippedFeed, shippedFeeds } from '../feeds/shipped-feeds.ts';
import { type RuleSet, rulesWithout } from '../rules/rules.ts';
import type { BuildResult, BuildTask, FeedKeys } from './build-generation.ts';
import { buildInWorker } from './build-in-worker.ts';
import { readCheckedFile } from './checked-file.ts';
import { type PollRecord, type ScannerState, type StateFolder, type StoredFeed, stateFolder } from './scanner-state.ts';
import type { ThreatDatabase } from './threat-database.ts';
import { type PackedKeys, threatIndex } from './threat-index.ts';

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
  /** Runs `work` with the paths of all stored files, in its turn among the changes. */
  still<Result>(work: (files: readonly string[]) => Promise<Result>): Promise<Result>;
}

export interface StoreOptions {
  /** All of them without this. */
  readonly rules?: RuleSet;
  readonly shippedFile?: string;
  readonly feedsOff?: readonly string[];
  readonly onDamage?: (what: string) => void;
  /** In a worker, unless a test wants to be faster. */
  readonly build?: (task: BuildTask) => Promise<BuildResult>;
}

const FRESH: ScannerState = { sequence: 0, generation: '', rulesVersion: '', feeds: [], polls: {}, owed: [] };

/** Loads the stored data in any condition. Leaves damaged feeds out, and every link is then scanned again. */
export async function openThreatStore(
  dataDir: string,
  {
    rules = rulesWithout([]),
    shippedFile,
    feedsOff = [],
    onDamage = () => {},
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
  let database: ThreatDatabase | undefined;

  const generation = generationName(readable.sequence, result.digest);
  if (generation === state.generation && state.rulesVersion === rules.version && !loaded.damaged) {
    state = readable;
  } else {
    // First start, new rules, new shipped data or damage: a new generation, so that all links are scanned again.
    const sequence = readable.sequence + 1;
    const name = generationName(sequence, result.digest);
    // Feeds are urgent, rules are not.
    const onlyRules = generation === state.generation && !loaded.damaged;
    const unfinished = onlyRules ? readable.owed.filter(({ file }) => file !== null) : [];
    state = {
      ...readable,
      sequence,
      generation: name,
      rulesVersion: rules.version,
      owed: [...unfinished, { generation: name, file: null, ...(onlyRules ? { after: '' } : {}) }],
    };
    await folder.save(state);
  }
  if (result.columns.sets.length > 0) {
    database = { generation: state.generation, index: threatIndex(result.columns), rules };
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
    shipped: () => notReplaced(state, allShipped),
    path: (file) => folder.path(file),
    keysIn: (file) => (file === null ? undefined : readCheckedFile(folder.path(file))?.keys),
    feedsOff: off,
    build,
    change: (work) =>
      inTurn(async () => {
        const change = await work(state);
        await folder.save(change.state);
        state = change.state;
        database = change.database ?? database;
        return change.result;
      }),
    still: (work) => inTurn(() => work(folder.files(state).map((file) => folder.path(file)))),
  };
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
