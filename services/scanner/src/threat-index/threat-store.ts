/**
 * Owns the current generation and the state on disk, and serialises changes to them. A reader never waits: one
 * assignment replaces the generation once the new one is durable.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { unavailable } from '@waypost/domain';
import type { SharedThreatData } from '@waypost/ports';
import { type ShippedFeed, shippedFeeds } from '../feeds/shipped-feeds.ts';
import { type RuleSet, rulesWithout } from '../rules/rules.ts';
import type { BuildResult, BuildTask, FeedKeys, IncomingFeed } from './build-generation.ts';
import { buildInWorker } from './build-in-worker.ts';
import { readCheckedFile, writeCopy } from './checked-file.ts';
import {
  filesOf,
  isOurFile,
  type PollRecord,
  type ScannerState,
  type StateFolder,
  type StoredFeed,
  stateFolder,
} from './scanner-state.ts';
import { type PackedKeys, type ThreatDatabase, threatIndex } from './threat-index.ts';

export interface Change<Result> {
  readonly state: ScannerState;
  /** Set if the change makes a new generation. */
  readonly built?: Pick<Extract<BuildResult, { ok: true }>, 'feeds' | 'digest'>;
  readonly result: Result;
}

export interface ThreatStore {
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
  /** Of the feeds of this state, and of the shipped ones, with the incoming one in the place of that of its name. */
  build(state: ScannerState, incoming?: IncomingFeed): Promise<BuildResult>;
  /**
   * Runs changes one at a time, in order. Stores what `work` returns, then applies it; if `work` rejects, nothing
   * changes.
   */
  change<Result>(work: (state: ScannerState) => Promise<Change<Result>>): Promise<Result>;
  /** A change of the state alone. */
  update(next: (state: ScannerState) => ScannerState): Promise<void>;
  /** Takes over what another scanner has published. Rejects if that cannot be read, or is damaged. */
  follow(): Promise<void>;
  /**
   * For the scanner that becomes the leader: publishes what it has if there is nothing, and a new generation if the one in
   * force is of other rules or other shipped feeds. Only a leader does, so two versions do not answer each other for ever.
   */
  lead(): Promise<void>;
  /** Runs `work` with the paths of all stored files, in its turn among the changes. */
  still<Result>(work: (files: readonly string[]) => Promise<Result>): Promise<Result>;
}

export interface StoreOptions {
  /** All of them without this. */
  readonly rules?: RuleSet;
  readonly shippedFile?: string | undefined;
  readonly feedsOff?: readonly string[];
  readonly onDamage?: (what: string) => void;
  /** Where several scanners have their data in common; without it, all of it is in the folder. */
  readonly shared?: SharedThreatData | undefined;
  /** In a worker, unless a test wants to be faster. */
  readonly build?: ((task: BuildTask) => Promise<BuildResult>) | undefined;
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
  const off = new Set(feedsOff);
  const allShipped = shippedFeeds(shippedFile);
  const rulesVersion = [rules.version, ...allShipped.map(({ name, updatedAt }) => `${name}@${updatedAt}`)].join(' ');
  function buildWith(next: ScannerState, incoming?: IncomingFeed): Promise<BuildResult> {
    const feeds = feedKeys(next, folder, allShipped, off).filter(({ source }) => source.feed !== incoming?.source.feed);
    return build({ feeds, ...(incoming && { incoming }) });
  }
  async function buildFor(next: ScannerState) {
    const result = await buildWith(next);
    if (!result.ok) throw new Error(result.problem);
    return result;
  }

  const loaded = folder.load();
  if (loaded.damaged) onDamage('the state file; using the previous one');
  const stored = loaded.state ?? FRESH;
  let built = await buildFor(stored);
  for (const name of built.unreadable) onDamage(`the keys of feed ${name}`);
  const readable = withoutDamaged(stored, built.unreadable);
  // Instead of a damaged feed, the shipped one of its name applies again.
  if (readable !== stored) built = await buildFor(readable);
  let state = inForceFor(readable, built.digest, rulesVersion, loaded.damaged);
  if (state !== stored) await folder.save(state);
  let index = threatIndex(built.feeds);
  /** Of all feeds that are in force here. */
  let digest = built.digest;
  /** Of what is shared: in force here. */
  let version = 0;

  async function putInForce(next: ScannerState, nextVersion: number, made: Change<unknown>['built']): Promise<void> {
    await folder.save(next);
    [state, version] = [next, nextVersion];
    if (made !== undefined) [index, digest] = [threatIndex(made.feeds), made.digest];
  }

  async function follow(from: SharedThreatData): Promise<void> {
    const newest = await from.read(version);
    if (newest.state === undefined) {
      version = newest.version;
      return;
    }
    const next = JSON.parse(newest.state) as ScannerState;
    for (const name of filesOf(next)) {
      if (!isOurFile(name) || existsSync(folder.path(name))) continue;
      const content = await from.file(name);
      if (content !== undefined) await writeCopy(folder.path(name), content);
    }
    const made = next.generation === state.generation ? undefined : await buildFor(next);
    if (made !== undefined && made.unreadable.length > 0) {
      // A newer state may have no use for these files.
      if ((await from.read(newest.version)).state !== undefined) return await follow(from);
      throw unavailable(`The threat data of all scanners is damaged: the keys of ${made.unreadable.join(', ')}.`);
    }
    await putInForce(next, newest.version, made);
  }

  /** Resolves to the version, or to undefined if another scanner was first. */
  async function publish(next: ScannerState): Promise<number | undefined> {
    if (shared === undefined) return 0;
    // A file that is lost here is lost for all; whoever needs it reports that, as without other scanners.
    const content = (name: string) => readFile(folder.path(name)).catch(() => undefined);
    return await shared.publish(version, JSON.stringify(next), filesOf(next), content);
  }

  let queue: Promise<unknown> = Promise.resolve();
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = queue.then(work);
    queue = done.catch(() => {});
    return done;
  }

  function change<Result>(work: (state: ScannerState) => Promise<Change<Result>>): Promise<Result> {
    return inTurn(async () => {
      for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
        if (shared !== undefined) await follow(shared);
        const { state: next, built: made, result } = await work(state);
        const published = await publish(next);
        if (published === undefined) continue;
        await putInForce(next, published, made);
        return result;
      }
      throw unavailable('The threat data cannot be changed right now: other scanners change it.');
    });
  }

  const update = (next: (state: ScannerState) => ScannerState) =>
    change(async (current) => ({ state: next(current), result: undefined }));

  return {
    database: () => (index.size === 0 ? undefined : { generation: state.generation, index, rules }),
    state: () => state,
    shipped: () => notReplaced(state, allShipped),
    path: (file) => folder.path(file),
    keysIn: (file) => (file === null ? undefined : readCheckedFile(folder.path(file))?.keys),
    feedsOff: off,
    build: buildWith,
    change,
    update,
    follow: async () => {
      // Nobody waits for a change that is under way where there is nothing to follow.
      if (shared === undefined || (await shared.read(version)).version === version) return;
      await inTurn(() => follow(shared));
    },
    lead: async () => {
      const renewed = (current: ScannerState) => inForceFor(current, digest, rulesVersion, false);
      if (version > 0 && renewed(state) === state) return;
      await update(renewed);
    },
    still: (work) => inTurn(() => work(folder.files(state).map((file) => folder.path(file)))),
  };
}

/**
 * The state that the digest of its feeds, with the shipped ones, belongs to: itself or, with new rules, new shipped data
 * or a loss, a new generation, so that all links are scanned again.
 */
function inForceFor(state: ScannerState, digest: string, rulesVersion: string, isNew: boolean): ScannerState {
  const isSame = generationName(state.sequence, digest) === state.generation && !isNew;
  if (isSame && state.rulesVersion === rulesVersion) return state;
  const sequence = state.sequence + 1;
  const generation = generationName(sequence, digest);
  // Feeds are urgent, rules are not.
  const unfinished = isSame ? state.owed.filter(({ file }) => file !== null) : [];
  const owed = [...unfinished, { generation, file: null, ...(isSame ? { after: '' } : {}) }];
  return { ...state, sequence, generation, rulesVersion, owed };
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
