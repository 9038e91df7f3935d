/** The expensive half of an import. It runs in a worker (build-worker.ts), so that no scan waits for it. */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { readCheckedFile, writeCheckedFile } from '../checked-file.ts';
import { expressionKey } from '../judge/urls/expression-key.ts';
import { addedKeys, type PackedKeys, packKeys } from '../packed-keys.ts';
import type { FeedFormat } from './feeds/formats.ts';
import { dateOfList } from './feeds/list-date.ts';
import { type BadLine, MOST_FEED_BYTES, type ReadFeed, readFeed } from './feeds/read-feed.ts';
import type { ListedKeys, ThreatSource } from './threat-index.ts';

export interface FeedKeys {
  readonly source: ThreatSource;
  readonly file: string;
  readonly from: number;
  readonly to: number;
}

export interface IncomingFeed {
  readonly source: ThreatSource;
  readonly format: FeedFormat;
  /** `also` stands for the feed as it is now, plus this entry. */
  readonly content: { readonly file: string } | { readonly text: string } | { readonly also: string };
  readonly ownHosts: readonly string[];
  readonly released: readonly string[];
  readonly byPerson: boolean;
  /** The limits for the number of entries of an update. */
  readonly bounds?: { readonly fewest: number; readonly most: number };
  readonly previous: FeedKeys | undefined;
  readonly keysFile: string;
  readonly addedFile: string;
  readonly removedFile: string;
  /** The file of an earlier removal; its keys join those of `removedFile`. */
  readonly removedBefore: string | undefined;
}

export interface BuildTask {
  readonly feeds: readonly FeedKeys[];
  readonly incoming?: IncomingFeed;
}

/** `datedAt`: when the list last changed, in its own words. */
type ReadContent = ReadFeed & { readonly datedAt?: Date | undefined };

export interface Imported extends Omit<Extract<ReadContent, { ok: true }>, 'ok' | 'keys'> {
  readonly entries: number;
  readonly added: number;
  readonly removed: number;
}

export type BuildResult =
  | {
      readonly ok: true;
      readonly feeds: readonly ListedKeys[];
      /** The same entries of the same feeds have the same digest. */
      readonly digest: string;
      /** Feeds whose file is missing or damaged. The result is without them. */
      readonly unreadable: readonly string[];
      readonly imported: Imported | undefined;
    }
  | { readonly ok: false; readonly problem: string; readonly badLines: readonly BadLine[] };

export async function buildGeneration({ feeds, incoming }: BuildTask): Promise<BuildResult> {
  const files = new Map<string, PackedKeys | undefined>();
  const keysOf = ({ file, from, to }: FeedKeys): PackedKeys | undefined => {
    if (!files.has(file)) files.set(file, readCheckedFile(file)?.keys);
    const keys = files.get(file);
    return keys !== undefined && keys.length >= to ? keys.slice(from, to) : undefined;
  };
  const unreadable: string[] = [];
  const sources = feeds.flatMap((feed) => {
    const keys = keysOf(feed);
    if (keys === undefined) unreadable.push(feed.source.feed);
    return keys === undefined ? [] : [{ source: feed.source, keys }];
  });
  let imported: Imported | undefined;
  if (incoming !== undefined) {
    const before = (incoming.previous && keysOf(incoming.previous)) ?? NO_KEYS;
    if ('also' in incoming.content && before.length === 0)
      return { ok: false, problem: 'cannot be read: import it again', badLines: [] };
    const feed = readIncoming(incoming, before);
    if (!feed.ok) return feed;
    const { ok: _, keys, ...read } = feed;
    const outOfBounds = boundsProblem(keys.length, incoming.bounds);
    if (outOfBounds !== undefined) return { ok: false, problem: outOfBounds, badLines: [] };
    // With another threat type, every entry is new.
    const isSameType = incoming.previous?.source.threatType === incoming.source.threatType;
    const added = addedKeys(isSameType ? before : NO_KEYS, keys);
    const removedKeys = addedKeys(keys, before);
    await writeCheckedFile(incoming.keysFile, { header: { kind: 'feed', feed: incoming.source.feed }, keys });
    if (added.length > 0) await writeCheckedFile(incoming.addedFile, { header: { kind: 'added' }, keys: added });
    if (removedKeys.length > 0) {
      const earlier = (incoming.removedBefore && readCheckedFile(incoming.removedBefore)?.keys) || NO_KEYS;
      await writeCheckedFile(incoming.removedFile, {
        header: { kind: 'removed' },
        keys: packKeys(concat(earlier, removedKeys)),
      });
    }
    sources.push({ source: incoming.source, keys });
    imported = { ...read, entries: keys.length, added: added.length, removed: removedKeys.length };
  }
  return { ok: true, feeds: sources, digest: digestOf(sources), unreadable, imported };
}

const NO_KEYS: PackedKeys = new BigUint64Array(0);

function* concat(one: Iterable<bigint>, other: Iterable<bigint>): Generator<bigint> {
  yield* one;
  yield* other;
}

function readIncoming(
  { content, format, ownHosts, released, byPerson }: IncomingFeed,
  before: PackedKeys,
): ReadContent {
  if ('also' in content) {
    const keys = packKeys(concat(before, [expressionKey(content.also)]));
    const own = { addresses: [], slugs: [] };
    return { ok: true, keys, rejected: 0, badLines: [], quarantine: { count: 0, entries: [] }, own };
  }
  const text = textOf(content);
  if (typeof text !== 'string') return { ok: false, problem: text.problem, badLines: [] };
  return { ...readFeed(text, format, ownHosts, released, byPerson), datedAt: dateOfList(text) };
}

function textOf(content: { readonly file: string } | { readonly text: string }): string | { problem: string } {
  try {
    const bytes = 'text' in content ? Buffer.byteLength(content.text) : statSync(content.file).size;
    if (bytes > MOST_FEED_BYTES) return { problem: `is larger than ${MOST_FEED_BYTES / 1024 / 1024} MB` };
    return 'text' in content ? content.text : readFileSync(content.file, 'utf8');
  } catch (error) {
    return { problem: `cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'no text'}` };
  }
}

function boundsProblem(entries: number, bounds: IncomingFeed['bounds']): string | undefined {
  if (bounds === undefined || (entries >= bounds.fewest && entries <= bounds.most)) return undefined;
  return `has ${entries} entries where ${bounds.fewest} to ${bounds.most} were expected`;
}

function digestOf(feeds: readonly ListedKeys[]): string {
  const digest = createHash('sha256');
  for (const { source, keys } of feeds.toSorted((a, b) => (a.source.feed < b.source.feed ? -1 : 1)))
    digest.update(JSON.stringify([source.feed, source.threatType, keys.length])).update(keys);
  return digest.digest('hex').slice(0, 12);
}
