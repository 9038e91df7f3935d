/** The threat database in memory. It is immutable: a scan that began with an index ends with it. */
import type { ThreatType } from '@waypost/domain';
import type { RuleSet } from '../judge/rule-set.ts';
import type { PackedKeys } from '../packed-keys.ts';

export interface ThreatSource {
  readonly feed: string;
  readonly threatType: ThreatType;
}

export interface ThreatDatabase {
  readonly generation: string;
  readonly index: ThreatIndex;
  readonly rules: RuleSet;
}

const MOST_BITS = 16;

export interface ListedKeys {
  readonly source: ThreatSource;
  readonly keys: PackedKeys;
}

export type ThreatIndex = ReturnType<typeof threatIndex>;

export function threatIndex(feeds: readonly ListedKeys[]) {
  const lists = feeds.map(({ source, keys }) => ({ source, has: lookUpIn(keys) }));
  const size = feeds.reduce((sum, { keys }) => sum + keys.length, 0);
  return {
    size,
    /** Returns the sources in the order of the feeds, or undefined if no feed lists the key. */
    find(high: number, low: number): readonly ThreatSource[] | undefined {
      let sources: ThreatSource[] | undefined;
      for (const { source, has } of lists) {
        if (has(high, low)) sources = [...(sources ?? []), source];
      }
      return sources;
    },
  };
}

/** Keys are hashes, so those that begin alike are few: a search in all would read memory that is in no cache. */
function lookUpIn(keys: PackedKeys): (high: number, low: number) => boolean {
  // Unlike comparing whole keys, comparing halves allocates no numbers.
  const halves = new Uint32Array(keys.buffer, keys.byteOffset, 2 * keys.length);
  const bits = Math.max(1, Math.min(MOST_BITS, 32 - Math.clz32(keys.length >>> 4)));
  const beginningOf = (high: number) => high >>> (32 - bits);
  const starts = new Uint32Array(2 ** bits + 1);
  for (let at = 1; at < halves.length; at += 2) starts[beginningOf(halves[at]!) + 1]!++;
  for (let at = 1; at < starts.length; at++) starts[at]! += starts[at - 1]!;
  return (high, low) => {
    const beginning = beginningOf(high);
    let from = starts[beginning]!;
    let to = starts[beginning + 1]!;
    while (from < to) {
      const middle = (from + to) >>> 1;
      const middleHigh = halves[2 * middle + 1]!;
      if (middleHigh < high || (middleHigh === high && halves[2 * middle]! < low)) from = middle + 1;
      else to = middle;
    }
    return halves[2 * from + 1] === high && halves[2 * from] === low;
  };
}
