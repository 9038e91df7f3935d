import { expressionKey } from '../../judge/urls/expression-key.ts';
import { type PackedKeys, packKeys } from '../../packed-keys.ts';
import { entryExpression, ownLinkExpression } from './entry.ts';
import { type FeedFormat, PARSERS } from './formats.ts';
import { judgeEntry } from './guards.ts';

export interface BadLine {
  readonly line: number;
  readonly text: string;
  readonly problem: string;
}

export interface QuarantinedEntry {
  /** Host and path; `/` for the whole host. */
  readonly entry: string;
  readonly problem: string;
}

export interface Quarantine {
  readonly count: number;
  readonly entries: readonly QuarantinedEntry[];
}

/** Addresses of this service, each once. At most the first of each kind. */
export interface OwnEntries {
  /** Host and path of entries that are left out; `/` for the whole host. */
  readonly addresses: readonly string[];
  readonly slugs: readonly string[];
}

export type ReadFeed =
  | {
      readonly ok: true;
      readonly keys: PackedKeys;
      /** Unreadable lines, and entries left out. */
      readonly rejected: number;
      readonly badLines: readonly BadLine[];
      readonly quarantine: Quarantine;
      readonly own: OwnEntries;
    }
  | { readonly ok: false; readonly problem: string; readonly badLines: readonly BadLine[] };

/** A larger file is no feed: 64 MB is more than a million URLs. */
export const MOST_FEED_BYTES = 64 * 1024 * 1024;
/** The share of lines (docs/contract.md, Feeds). */
const MOST_REJECTED = 0.02;
/** A list may have this number by accident. */
const MOST_TOO_BROAD = 10;
const MOST_TOO_BROAD_RATIO = 0.001;
const BAD_LINES_SHOWN = 5;
const BAD_TEXT_SHOWN = 120;
/** A person can look through this number. */
const MOST_QUARANTINED = 200;
const LONGEST_QUARANTINED = 500;
const MOST_OWN = 100;
/** Characters that move a cursor, reverse text or break a line: people see bad lines. */
const UNPRINTABLE = /[\p{C}\u2028\u2029]/gu;

/**
 * Returns sorted keys, or refuses the whole feed. `released`: entries that a person let out of quarantine.
 * `byPerson`: a person imports the feed, and so has chosen its single pages.
 */
export function readFeed(
  content: string,
  format: FeedFormat,
  ownHosts: readonly string[],
  released: readonly string[] = [],
  byPerson = false,
): ReadFeed {
  const keys: bigint[] = [];
  const unreadable = new BadLines();
  const poisoned = new BadLines();
  const tooBroad = new BadLines();
  const quarantined = new Map<string, string>();
  const ownAddresses = new Set<string>();
  const ownSlugs = new Set<string>();
  const free = new Set(released);
  let rejectedEntries = 0;
  let ownEntries = 0;
  let lines = 0;
  for (const { number, text, entries, problem } of PARSERS[format](content)) {
    if (entries.length > 0 || problem !== undefined) lines++;
    if (problem !== undefined) unreadable.add(number, text, problem);
    for (const entry of entries) {
      const judgement = judgeEntry(entry, ownHosts);
      const expression = entryExpression(entry);
      if (judgement.kind === 'own-link') {
        keys.push(expressionKey(ownLinkExpression(judgement.slug)));
        if (ownSlugs.size < MOST_OWN) ownSlugs.add(judgement.slug);
      } else if (judgement.kind === 'own') {
        ownEntries++;
        if (ownAddresses.size < MOST_OWN) ownAddresses.add(expression.slice(0, LONGEST_QUARANTINED));
      } else if (judgement.kind === 'poison') poisoned.add(number, text, judgement.problem);
      else if (judgement.kind === 'good' || free.has(expression) || (byPerson && judgement.kind === 'quarantined'))
        keys.push(expressionKey(expression));
      else {
        if (judgement.kind === 'too-broad') tooBroad.add(number, text, judgement.problem);
        rejectedEntries++;
        if (quarantined.size < MOST_QUARANTINED && expression.length <= LONGEST_QUARANTINED)
          quarantined.set(expression, judgement.problem);
      }
    }
  }
  const entries = keys.length;
  if (poisoned.count > 0) return refusal(`lists ${plural(poisoned.count, 'host')} that no feed may list`, poisoned);
  if (unreadable.count > lines * MOST_REJECTED) {
    return refusal(
      `has ${unreadable.count} of ${plural(lines, 'line')} that cannot be parsed (at most 2% may be)`,
      unreadable,
    );
  }
  if (tooBroad.count > Math.max(MOST_TOO_BROAD, entries * MOST_TOO_BROAD_RATIO)) {
    return refusal(`has ${plural(tooBroad.count, 'entry', 'entries')} that would flag too many links`, tooBroad);
  }
  if (entries === 0 && ownEntries === 0) return refusal('has no entries', unreadable.count > 0 ? unreadable : tooBroad);
  const badLines = [...unreadable.first, ...tooBroad.first].slice(0, BAD_LINES_SHOWN);
  const quarantine = {
    count: rejectedEntries,
    entries: [...quarantined].map(([entry, problem]) => ({ entry, problem })),
  };
  const own = { addresses: [...ownAddresses], slugs: [...ownSlugs] };
  const rejected = unreadable.count + rejectedEntries + ownEntries;
  return { ok: true, keys: packKeys(keys), rejected, badLines, quarantine, own };
}

class BadLines {
  count = 0;
  readonly first: BadLine[] = [];

  add(line: number, text: string, problem: string): void {
    this.count++;
    if (this.first.length >= BAD_LINES_SHOWN) return;
    const start = text.slice(0, BAD_TEXT_SHOWN).replace(UNPRINTABLE, '\ufffd');
    this.first.push({ line, text: text.length <= BAD_TEXT_SHOWN ? start : `${start}…`, problem });
  }
}

function refusal(problem: string, { first }: BadLines): ReadFeed {
  return { ok: false, problem, badLines: first };
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
