/** The current generation and the state on disk. Readers never wait: a durable generation replaces the last at once. */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { unavailable } from '@waypost/domain';
import { readCheckedFile, writeCopy } from '../checked-file.ts';
import { type RuleSet, rulesWithout } from '../judge/rule-set.ts';
import type { PackedKeys } from '../packed-keys.ts';
import type { BuildResult, BuildTask, FeedKeys, IncomingFeed } from './build-generation.ts';
import { buildInWorker } from './build-in-worker.ts';
import {
  filesOf,
  isOurFile,
  type PollRecord,
  type ScannerState,
  type StateFolder,
  type StoredFeed,
  stateFolder,
} from './scanner-state.ts';
import type { SharedThreatData } from './shared-threat-data.port.ts';
import { type ShippedFeed, shippedFeeds } from './shipped-feeds.ts';
import { type ThreatDatabase, type ThreatIndex, threatIndex } from './threat-index.ts';

export interface Change<Result> {
  readonly state: ScannerState;
  /** Present if the change has a new generation. */
  readonly built?: Pick<Extract<BuildResult, { ok: true }>, 'feeds' | 'digest'>;
  readonly result: Result;
}

export type ThreatStore = Awaited<ReturnType<typeof openThreatStore>>;

export interface StoreOptions {
  readonly rules?: RuleSet;
  readonly shippedFile?: string | undefined;
  readonly feedsOff?: readonly string[];
  readonly onDamage?: (what: string) => void;
  readonly shared?: SharedThreatData | undefined;
  readonly build?: ((task: BuildTask) => Promise<BuildResult>) | undefined;
}

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

/** The data that decides verdicts. */
interface InForce {
  readonly state: ScannerState;
  readonly index: ThreatIndex;
  readonly digest: string;
  /** The version of the shared threat data. */
  readonly version: number;
}

/** Loads stored data in any condition. Leaves out damaged feeds, and then has every link scanned again. */
export async function openThreatStore(dataDir: string, options: StoreOptions = {}) {
  const { rules = rulesWithout([]), shippedFile, feedsOff = [], shared, build = buildInWorker } = options;
  const folder = stateFolder(dataDir);
  const off: ReadonlySet<string> = new Set(feedsOff);
  const allShipped = shippedFeeds(shippedFile);
  const rulesVersion = [rules.version, ...allShipped.map(({ name, updatedAt }) => `${name}@${updatedAt}`)].join(' ');
  const buildWith = (next: ScannerState, incoming?: IncomingFeed): Promise<BuildResult> => {
    const feeds = feedKeys(next, folder, allShipped, off).filter(({ source }) => source.feed !== incoming?.source.feed);
    return build({ feeds, ...(incoming && { incoming }) });
  };
  const buildFor = async (next: ScannerState) => successOf(await buildWith(next));
  let inForce = await load(folder, buildFor, rulesVersion, options.onDamage);
  const serially = serialQueue();

  async function putInForce(state: ScannerState, version: number, built: Change<unknown>['built']): Promise<void> {
    await folder.save(state);
    inForce = { ...inForce, state, version, ...(built && { index: threatIndex(built.feeds), digest: built.digest }) };
  }

  async function follow(from: SharedThreatData): Promise<void> {
    const newest = await from.read(inForce.version);
    if (newest.state === undefined) {
      inForce = { ...inForce, version: newest.version };
      return;
    }
    const next = JSON.parse(newest.state) as ScannerState;
    await copyMissing(from, next, folder);
    const built = next.generation === inForce.state.generation ? undefined : await buildFor(next);
    if (built !== undefined && built.unreadable.length > 0) {
      // A newer state may not need these files.
      if ((await from.read(newest.version)).state !== undefined) return await follow(from);
      throw unavailable(`The threat data of all scanners is damaged: the keys of ${built.unreadable.join(', ')}.`);
    }
    await putInForce(next, newest.version, built);
  }

  function change<Result>(work: (state: ScannerState) => Promise<Change<Result>>): Promise<Result> {
    return serially(async () => {
      for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
        if (shared !== undefined) await follow(shared);
        const { state: next, built, result } = await work(inForce.state);
        const published = shared === undefined ? 0 : await publish(shared, inForce.version, next, folder);
        if (published === undefined) continue;
        await putInForce(next, published, built);
        return result;
      }
      throw unavailable('Another scanner is changing the threat data. Try again.');
    });
  }

  const update = (next: (state: ScannerState) => ScannerState): Promise<void> =>
    change(async (current) => ({ state: next(current), result: undefined }));

  return {
    database: (): ThreatDatabase | undefined =>
      inForce.index.size === 0 ? undefined : { generation: inForce.state.generation, index: inForce.index, rules },
    state: () => inForce.state,
    /** Returns the shipped feeds, without those that a feed of the same name replaces. */
    shipped: (): readonly ShippedFeed[] => notReplaced(inForce.state, allShipped),
    path: (file: string) => folder.path(file),
    /** Returns undefined if `file` is null or its keys are unreadable. */
    keysIn: (file: string | null): PackedKeys | undefined =>
      file === null ? undefined : readCheckedFile(folder.path(file))?.keys,
    feedsOff: off,
    /** Builds an index of the feeds of this state and of the shipped feeds; `incoming` replaces the one of its name. */
    build: buildWith,
    /** Runs changes one at a time. Stores what `work` returns, then applies it; if `work` rejects, nothing changes. */
    change,
    update,
    /** Takes over the data that another scanner published. Rejects if it is damaged or cannot be read. */
    follow: async (): Promise<void> => {
      // If there is no newer version, the caller need not wait for a running change.
      if (shared === undefined || (await shared.read(inForce.version)).version === inForce.version) return;
      await serially(() => follow(shared));
    },
    /**
     * For a new leader: publishes its state if there is none, or a new generation if the published one has other rules
     * or shipped feeds. Followers do not, or two versions of the program would replace each other's generations for
     * ever.
     */
    lead: async (): Promise<void> => {
      const renew = (current: ScannerState) => inForceFor(current, inForce.digest, rulesVersion, false);
      if (inForce.version > 0 && renew(inForce.state) === inForce.state) return;
      await update(renew);
    },
    /** Runs `work` with the paths of all stored files, between two changes. */
    still: <Result>(work: (files: readonly string[]) => Promise<Result>): Promise<Result> =>
      serially(() => work(folder.files(inForce.state).map((file) => folder.path(file)))),
  };
}

async function load(
  folder: StateFolder,
  buildFor: (state: ScannerState) => Promise<Extract<BuildResult, { ok: true }>>,
  rulesVersion: string,
  onDamage: (what: string) => void = () => {},
): Promise<InForce> {
  const folderState = folder.load();
  if (folderState.damaged) onDamage('the state file; using the previous one');
  const current = folderState.state ?? FRESH;
  let build = await buildFor(current);
  for (const name of build.unreadable) onDamage(`the keys of feed ${name}`);
  const readable = withoutDamaged(current, build.unreadable);
  // The shipped feed of the same name replaces a damaged one.
  if (readable !== current) build = await buildFor(readable);
  const state = inForceFor(readable, build.digest, rulesVersion, folderState.damaged);
  if (state !== current) await folder.save(state);
  return { state, index: threatIndex(build.feeds), digest: build.digest, version: 0 };
}

function successOf(result: BuildResult): Extract<BuildResult, { ok: true }> {
  if (!result.ok) throw new Error(result.problem);
  return result;
}

function serialQueue(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let queue: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = queue.then(work);
    queue = done.catch(() => {});
    return done;
  };
}

async function copyMissing(from: SharedThreatData, state: ScannerState, folder: StateFolder): Promise<void> {
  for (const name of filesOf(state)) {
    if (!isOurFile(name) || existsSync(folder.path(name))) continue;
    const content = await from.file(name);
    if (content !== undefined) await writeCopy(folder.path(name), content);
  }
}

/** Resolves to the version, or to undefined if another scanner published first. */
function publish(to: SharedThreatData, version: number, state: ScannerState, folder: StateFolder) {
  // If a file is lost here, no scanner has it, and those that need it report this.
  const content = (name: string) => readFile(folder.path(name)).catch(() => undefined);
  return to.publish(version, JSON.stringify(state), filesOf(state), content);
}

/**
 * Returns the state itself if the digest belongs to it. New rules, new shipped feeds or lost data make a new
 * generation, for which all links are scanned again.
 */
function inForceFor(state: ScannerState, digest: string, rulesVersion: string, isNew: boolean): ScannerState {
  const isSame = generationName(state.sequence, digest) === state.generation && !isNew;
  if (isSame && state.rulesVersion === rulesVersion) return state;
  const sequence = state.sequence + 1;
  const generation = generationName(sequence, digest);
  // Scans for new feeds are urgent, scans for new rules are not.
  const unfinished = isSame ? state.owed.filter(({ file }) => file !== null) : [];
  const rescans = [...unfinished, { generation, file: null, ...(isSame ? { after: '' } : {}) }];
  return { ...state, sequence, generation, rulesVersion, owed: rescans };
}

export function generationName(sequence: number, digest: string): string {
  return `${sequence}-${digest}`;
}

export function storedKeys(feed: StoredFeed, path: (file: string) => string): FeedKeys {
  const source = { feed: feed.name, threatType: feed.threatType };
  return { source, file: path(feed.file), from: 0, to: feed.entries };
}

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
  const keysOfFeeds = state.feeds.map((feed) => storedKeys(feed, (file) => folder.path(file)));
  const all = [...notReplaced(state, shipped).map(({ keys }) => keys), ...keysOfFeeds];
  return all.filter(({ source }) => !off.has(source.feed));
}

function notReplaced({ feeds }: ScannerState, shipped: readonly ShippedFeed[]): ShippedFeed[] {
  return shipped.filter(({ name }) => !feeds.some((feed) => feed.name === name));
}

function withoutDamaged(state: ScannerState, damaged: readonly string[]): ScannerState {
  const feeds = state.feeds.filter(({ name }) => !damaged.includes(name));
  if (feeds.length === state.feeds.length) return state;
  const record = { etag: null, lastModified: null, lastError: 'the stored file is damaged. Import the feed again' };
  return damaged.reduce<ScannerState>((next, name) => withPoll(next, name, record), { ...state, feeds });
}
