/**
 * The threat database in memory: for each feed, 64-bit hash prefixes in ascending order. A look-up allocates nothing where
 * it finds nothing. It is immutable: a new generation is a new index, and a scan that has the old one finishes with it.
 */
import type { ThreatType } from '@waypost/domain';
import type { RuleSet } from '../rules/rules.ts';

export interface ThreatSource {
  readonly feed: string;
  readonly threatType: ThreatType;
}

/** One generation of the threat data. It never changes, it is only replaced: a reference is always to one generation. */
export interface ThreatDatabase {
  readonly generation: string;
  readonly index: ThreatIndex;
  readonly rules: RuleSet;
}

/** Keys of one feed, sorted and unique. */
export type PackedKeys = BigUint64Array<ArrayBuffer>;

export interface ListedKeys {
  readonly source: ThreatSource;
  readonly keys: PackedKeys;
}

export interface ThreatIndex {
  /** Entries of all feeds. */
  readonly size: number;
  /** The sources that list the key, in the order of their feeds; undefined if none does. */
  find(key: bigint): readonly ThreatSource[] | undefined;
}

export function threatIndex(feeds: readonly ListedKeys[]): ThreatIndex {
  // Comparing halves allocates no numbers, as comparing whole keys would.
  const lists = feeds.map(({ source, keys }) => ({
    source,
    halves: new Uint32Array(keys.buffer, keys.byteOffset, 2 * keys.length),
  }));
  const size = feeds.reduce((sum, { keys }) => sum + keys.length, 0);
  return {
    size,
    find(key) {
      const high = Number(key >> 32n);
      const low = Number(key & 0xffff_ffffn);
      let sources: ThreatSource[] | undefined;
      for (const { source, halves } of lists) {
        if (has(halves, high, low)) sources = [...(sources ?? []), source];
      }
      return sources;
    },
  };
}

/** `halves`: pairs of low and high halves, ascending as 64-bit numbers. */
function has(halves: Uint32Array, high: number, low: number): boolean {
  let from = 0;
  let to = halves.length / 2;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const middleHigh = halves[2 * middle + 1]!;
    if (middleHigh < high || (middleHigh === high && halves[2 * middle]! < low)) from = middle + 1;
    else to = middle;
  }
  return halves[2 * from + 1] === high && halves[2 * from] === low;
}

/** Takes keys in any order. */
export function packKeys(keys: Iterable<bigint>): PackedKeys {
  const sorted = BigUint64Array.from(keys).sort();
  return sorted.filter((key, at) => key !== sorted[at - 1]);
}

/** The keys of `after` that `before` lacks: what an import added. */
export function addedKeys(before: PackedKeys, after: PackedKeys): PackedKeys {
  let at = 0;
  return after.filter((key) => {
    while (at < before.length && before[at]! < key) at++;
    return before[at] !== key;
  });
}
