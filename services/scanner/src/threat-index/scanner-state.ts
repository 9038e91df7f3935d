/**
 * The scanner's data folder: one file with the keys of each feed, and one state file that names the files in use. A
 * change takes effect with the rename of the state file. The previous state stays until the next change, so that a
 * damaged file costs one import and not the database.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ThreatType } from '@waypost/domain';
import type { FeedFormat } from '../feeds/formats.ts';
import type { Quarantine } from '../feeds/read-feed.ts';
import { readCheckedFile, writeCheckedFile } from './checked-file.ts';

export interface StoredFeed {
  readonly name: string;
  readonly threatType: ThreatType;
  readonly format: FeedFormat;
  readonly origin: 'operator' | 'poll';
  /** Name of the file with its keys. */
  readonly file: string;
  readonly entries: number;
  /** ISO 8601. */
  readonly updatedAt: string;
  readonly quarantine: Quarantine;
}

/** The state of a feed's polls. */
export interface PollRecord {
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly lastError: string | null;
  /** ISO 8601: when the source last answered, changed or not. */
  readonly confirmedAt: string | null;
  /** The `sourceId` of the last update. Absent before the first. */
  readonly source?: string;
}

/** Links to scan again because of a generation. Without a file: all links. */
export interface OwedRescan {
  readonly generation: string;
  readonly file: string | null;
  /** Set for a scan of all links that is in no hurry: it takes half of the time, and goes on after this slug. */
  readonly after?: string;
}

/** Entries that left a feed within an hour. Links that only they flagged are cleared if they stay away long enough. */
export interface Removal {
  readonly feed: string;
  /** Name of the file with their keys. */
  readonly file: string;
  /** ISO 8601: when the last of them left. */
  readonly at: string;
}

export interface ScannerState {
  readonly sequence: number;
  readonly generation: string;
  /** Of the rules and the shipped feeds. */
  readonly rulesVersion: string;
  readonly feeds: readonly StoredFeed[];
  readonly polls: Readonly<Record<string, PollRecord>>;
  readonly owed: readonly OwedRescan[];
  /** Oldest first. */
  readonly removals: readonly Removal[];
  /** Entries that a person let out of quarantine, by feed. */
  readonly released: Readonly<Record<string, readonly string[]>>;
}

export interface StateFolder {
  path(file: string): string;
  /** `damaged`: the newest state could not be read, and this (if any) is the one before. */
  load(): { readonly state: ScannerState | undefined; readonly damaged: boolean };
  /** Durable when it resolves; one at a time. */
  save(state: ScannerState): Promise<void>;
  /** The names of the files of this state, once it is saved. */
  files(state: ScannerState): string[];
}

const CURRENT = 'state.bin';
const PREVIOUS = 'state.previous.bin';
/** Only files that this module wrote may be deleted: the folder may contain others. */
const OURS = /^(?:feed|added|removed)-\d+-[0-9a-f]{8}\.bin(?:\.\d+\.tmp)?$|^state(?:\.previous)?\.bin\.\d+\.tmp$/;
const NO_KEYS = new BigUint64Array(0);

export function isOurFile(name: string): boolean {
  return OURS.test(name);
}

/** Of several scanners that make the same step, each names its file differently. */
export function newFile(kind: 'feed' | 'added' | 'removed', sequence: number): string {
  return `${kind}-${sequence}-${randomBytes(4).toString('hex')}.bin`;
}

export function stateFolder(folder: string): StateFolder {
  mkdirSync(folder, { recursive: true });
  const path = (file: string) => join(folder, file);
  const read = (file: string) => readCheckedFile(path(file))?.header as ScannerState | undefined;

  return {
    path,
    load() {
      const current = read(CURRENT);
      if (current !== undefined) return { state: current, damaged: false };
      const previous = read(PREVIOUS);
      return { state: previous, damaged: previous !== undefined || readdirSync(folder).includes(CURRENT) };
    },
    async save(state) {
      const before = read(CURRENT);
      // A copy: a crash or a full disk at any moment leaves the present state in its place.
      if (before !== undefined) await writeCheckedFile(path(PREVIOUS), { header: before, keys: NO_KEYS });
      await writeCheckedFile(path(CURRENT), { header: state, keys: NO_KEYS });
      const needed = new Set([...filesOf(state), ...(before === undefined ? [] : filesOf(before))]);
      for (const file of await readdir(folder)) {
        if (OURS.test(file) && !needed.has(file)) await rm(path(file), { force: true });
      }
    },
    files: (state) => [...new Set([CURRENT, ...filesOf(state)])],
  };
}

/** The names of the files with keys that a state needs. */
export function filesOf({ feeds, owed, removals }: ScannerState): string[] {
  return [...[...feeds, ...removals].map(({ file }) => file), ...owed.flatMap(({ file }) => file ?? [])];
}
