/** Reads a feed file into sorted keys, or refuses all of it and names the bad lines. */
import { type PackedKeys, packKeys } from '../threat-index/threat-index.ts';
import { expressionKey } from '../urls/expression-key.ts';
import { entryExpression } from './entry.ts';
import { type FeedFormat, PARSERS } from './formats.ts';
import { judge } from './guards.ts';

export interface BadLine {
  readonly line: number;
  readonly text: string;
  readonly problem: string;
}

/** An entry that does not flag until a person releases it. */
export interface QuarantinedEntry {
  /** Host and path; `/` for the whole host. */
  readonly entry: string;
  readonly problem: string;
}

export interface Quarantine {
  readonly count: number;
  /** The first of them, without repetitions. */
  readonly entries: readonly QuarantinedEntry[];
}

export type ReadFeed =
  | {
      readonly ok: true;
      readonly keys: PackedKeys;
      /** Unreadable lines, and entries left out. */
      readonly rejected: number;
      /** The first of them. */
      readonly badLines: readonly BadLine[];
      readonly quarantine: Quarantine;
    }
  | { readonly ok: false; readonly problem: string; readonly badLines: readonly BadLine[] };

/** docs/contract.md, Feeds. */
const MOST_REJECTED = 0.02;
/** The number of too broad entries that a list may have by accident: ten, or one in a thousand. */
const MOST_TOO_BROAD = 10;
const MOST_TOO_BROAD_RATIO = 0.001;
const BAD_LINES_SHOWN = 5;
const BAD_TEXT_SHOWN = 120;
/** Kept for a person to look through, of entries no longer than can be shown whole. */
const QUARANTINED_KEPT = 200;
const LONGEST_KEPT = 500;
/** Characters that move a cursor, reverse text or break a line: people see bad lines. */
const UNPRINTABLE = /[\p{C}\u2028\u2029]/gu;

/**
 * `released`: entries that a person has let out of the quarantine of this feed. `byPerson`: a person imports it, and so has
 * chosen its single pages.
 */
export function readFeed(
  content: string,
  format: FeedFormat,
  ownHosts: readonly string[],
  released: readonly string[] = [],
  byPerson = false,
): ReadFeed {
  const keys: bigint[] = [];
  const unread = new BadLines();
  const poisoned = new BadLines();
  const tooBroad = new BadLines();
  const quarantined = new Map<string, string>();
  const free = new Set(released);
  let leftOut = 0;
  let lines = 0;
  for (const { number, text, entries, problem } of PARSERS[format](content)) {
    if (entries.length > 0 || problem !== undefined) lines++;
    if (problem !== undefined) unread.add(number, text, problem);
    for (const entry of entries) {
      const judgement = judge(entry, ownHosts);
      const expression = entryExpression(entry);
      if (judgement.kind === 'poison') poisoned.add(number, text, judgement.problem);
      else if (judgement.kind === 'good' || free.has(expression) || (byPerson && judgement.kind === 'quarantined'))
        keys.push(expressionKey(expression));
      else {
        if (judgement.kind === 'too-broad') tooBroad.add(number, text, judgement.problem);
        leftOut++;
        if (quarantined.size < QUARANTINED_KEPT && expression.length <= LONGEST_KEPT)
          quarantined.set(expression, judgement.problem);
      }
    }
  }
  const entries = keys.length;
  if (poisoned.count > 0) return refused(`names ${plural(poisoned.count, 'host')} that no feed may list`, poisoned);
  if (unread.count > lines * MOST_REJECTED) {
    return refused(`has ${unread.count} of ${plural(lines, 'line')} that cannot be read (2 % may be)`, unread);
  }
  if (tooBroad.count > Math.max(MOST_TOO_BROAD, entries * MOST_TOO_BROAD_RATIO)) {
    return refused(`has ${plural(tooBroad.count, 'entry', 'entries')} that would flag far too much`, tooBroad);
  }
  if (entries === 0) return refused('has no entries', unread.count > 0 ? unread : tooBroad);
  const badLines = [...unread.first, ...tooBroad.first].slice(0, BAD_LINES_SHOWN);
  const kept = [...quarantined].map(([entry, problem]) => ({ entry, problem }));
  return {
    ok: true,
    keys: packKeys(keys),
    rejected: unread.count + leftOut,
    badLines,
    quarantine: { count: leftOut, entries: kept },
  };
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

function refused(problem: string, { first }: BadLines): ReadFeed {
  return { ok: false, problem, badLines: first };
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
