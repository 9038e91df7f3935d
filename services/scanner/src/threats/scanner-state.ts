/**
 * The data folder: a file with the keys of each feed, and a state file that names the files in use. A change takes
 * effect when the state file is renamed. The previous state stays, so a damaged file loses one import and not the
 * database.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ThreatType } from '@waypost/domain';
import { readCheckedFile, writeCheckedFile } from '../checked-file.ts';
import type { Validators } from './feeds/fetch-feed.ts';
import type { FeedFormat } from './feeds/formats.ts';
import type { Quarantine } from './feeds/read-feed.ts';

export interface OwnListing {
  /** A slug, or the host and path of another address of this service. */
  readonly entry: string;
  /** The time of the first import that had it, in ISO 8601. */
  readonly since: string;
}

/** What a feed lists of this service. */
export interface OwnListings {
  readonly addresses: readonly OwnListing[];
  readonly links: readonly OwnListing[];
}

export interface StoredFeed {
  readonly name: string;
  readonly threatType: ThreatType;
  readonly format: FeedFormat;
  readonly origin: 'operator' | 'poll';
  readonly file: string;
  readonly entries: number;
  /** The time when the content last changed. */
  readonly updatedAt: string;
  /** The date in the list itself. */
  readonly datedAt: string | null;
  readonly quarantine: Quarantine;
  readonly own: OwnListings;
}

export interface PollRecord extends Validators {
  readonly lastError: string | null;
  /** The time of the last answer of the source in ISO 8601, whether the feed had changed or not. */
  readonly confirmedAt: string | null;
  /** The `sourceId` of the last update. */
  readonly source?: string;
  /** The mirror that sent the last update, as a hash. `etag` and `lastModified` are those of this mirror. */
  readonly mirror?: string;
}

/** After this generation, the links under the keys of the file are scanned again, or all links. */
export interface PendingRescan {
  readonly generation: string;
  readonly file: string | null;
  /** The slug after which a scan of all links continues. It is set only for a scan in the background. */
  readonly after?: string;
}

/** Entries that left a feed within an hour. Links that only they flagged are cleared if the entries stay away. */
export interface Removal {
  readonly feed: string;
  readonly file: string;
  /** The time when the last entry left, in ISO 8601. */
  readonly at: string;
}

export interface ScannerState {
  readonly sequence: number;
  readonly generation: string;
  readonly rulesVersion: string;
  readonly feeds: readonly StoredFeed[];
  readonly polls: Readonly<Record<string, PollRecord>>;
  readonly owed: readonly PendingRescan[];
  readonly removals: readonly Removal[];
  readonly released: Readonly<Record<string, readonly string[]>>;
}

export type StateFolder = ReturnType<typeof stateFolder>;

const CURRENT = 'state.bin';
const PREVIOUS = 'state.previous.bin';
/** Deletes only files that this module wrote: the folder may contain others. */
const OURS = /^(?:feed|added|removed)-\d+-[0-9a-f]{8}\.bin(?:\.\d+\.tmp)?$|^state(?:\.previous)?\.bin\.\d+\.tmp$/;
const NO_KEYS = new BigUint64Array(0);

export function isOurFile(name: string): boolean {
  return OURS.test(name);
}

/** The name is random, since several scanners may have the same sequence. */
export function newFile(kind: 'feed' | 'added' | 'removed', sequence: number): string {
  return `${kind}-${sequence}-${randomBytes(4).toString('hex')}.bin`;
}

export function stateFolder(folder: string) {
  mkdirSync(folder, { recursive: true });
  const path = (file: string) => join(folder, file);
  const read = (file: string) => readCheckedFile(path(file))?.header as ScannerState | undefined;

  return {
    path,
    /** `damaged`: the newest state cannot be read, and `state` is the one before. */
    load(): { readonly state: ScannerState | undefined; readonly damaged: boolean } {
      const current = read(CURRENT);
      if (current !== undefined) return { state: current, damaged: false };
      const previous = read(PREVIOUS);
      return { state: previous, damaged: previous !== undefined || readdirSync(folder).includes(CURRENT) };
    },
    /** Resolves when the state is durable. Calls must not overlap. */
    async save(state: ScannerState): Promise<void> {
      const before = read(CURRENT);
      // We copy and do not rename: the current state must survive a crash or a full disk at any moment.
      if (before !== undefined) await writeCheckedFile(path(PREVIOUS), { header: before, keys: NO_KEYS });
      await writeCheckedFile(path(CURRENT), { header: state, keys: NO_KEYS });
      const needed = new Set([...filesOf(state), ...(before === undefined ? [] : filesOf(before))]);
      for (const file of await readdir(folder)) {
        if (OURS.test(file) && !needed.has(file)) await rm(path(file), { force: true });
      }
    },
    files: (state: ScannerState) => [...new Set([CURRENT, ...filesOf(state)])],
  };
}

export function filesOf({ feeds, owed, removals }: ScannerState): string[] {
  return [...[...feeds, ...removals].map(({ file }) => file), ...owed.flatMap(({ file }) => file ?? [])];
}
