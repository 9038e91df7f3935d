/** The state of all scanners, and its files, as one of them publishes it and the others take it over. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { SharedThreatData } from '@waypost/ports';
import { digestIn, writeCopy } from './checked-file.ts';
import { filesOf, isOurFile, type ScannerState, type StateFolder } from './scanner-state.ts';

/** What is stored cannot be used. */
export class Damaged extends Error {
  readonly version: number;

  constructor(what: string, version: number) {
    super(`${what}, of the shared version ${version}`);
    this.version = version;
  }
}

interface Published {
  readonly state: ScannerState;
  /** By name of the file. */
  readonly digests: Readonly<Record<string, string>>;
}

/** Resolves to the new version, or to undefined if another one than `expected` is in force. */
export async function publishState(
  shared: SharedThreatData,
  folder: StateFolder,
  expected: number,
  state: ScannerState,
): Promise<number | undefined> {
  const digests: Record<string, string> = {};
  for (const name of filesOf(state)) {
    const digest = await digestIn(folder.path(name));
    // A file that is lost here is lost for all; whoever needs it reports that, as without other scanners.
    if (digest !== undefined) digests[name] = digest;
  }
  const files = new Map(Object.entries(digests).map(([name, digest]) => [digest, name]));
  const published: Published = { state, digests };
  const json = JSON.stringify(published);
  return shared.publish(expected, `${sha256(json)} ${json}`, [...files.keys()], (digest) =>
    readFile(folder.path(files.get(digest)!)),
  );
}

/** Copies the files of the state in force into the folder. Throws `Damaged`. Undefined if no state is in force. */
export async function fetchState(
  shared: SharedThreatData,
  folder: StateFolder,
): Promise<{ readonly version: number; readonly state: ScannerState } | undefined> {
  const stored = await shared.read();
  if (stored === undefined) return undefined;
  const json = stored.state.slice(DIGEST_LENGTH + 1);
  if (stored.state !== `${sha256(json)} ${json}`) throw new Damaged('the state', stored.version);
  const { state, digests } = JSON.parse(json) as Published;
  for (const name of filesOf(state)) {
    const digest = digests[name];
    if (digest === undefined || !isOurFile(name) || (await digestIn(folder.path(name))) === digest) continue;
    const content = await shared.content(digest);
    if (content !== undefined && (await writeCopy(folder.path(name), content, digest))) continue;
    // A newer state may have no use for it.
    if ((await shared.version()) !== stored.version) return undefined;
    throw new Damaged(`the file ${name}`, stored.version);
  }
  return { version: stored.version, state };
}

const DIGEST_LENGTH = 64;

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
