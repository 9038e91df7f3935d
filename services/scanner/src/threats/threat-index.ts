/** The threat database in memory. It is immutable: a scan that began with an index ends with it. */
import type { ThreatType } from '@waypost/domain';
import type { RuleSet } from '../judge/rules/rules.ts';

export interface ThreatSource {
  readonly feed: string;
  readonly threatType: ThreatType;
}

export interface ThreatDatabase {
  readonly generation: string;
  readonly index: ThreatIndex;
  readonly rules: RuleSet;
}

/** Sorted and unique. */
export type PackedKeys = BigUint64Array<ArrayBuffer>;

export interface ListedKeys {
  readonly source: ThreatSource;
  readonly keys: PackedKeys;
}

export type ThreatIndex = ReturnType<typeof threatIndex>;

export function threatIndex(feeds: readonly ListedKeys[]) {
  // Unlike comparing whole keys, comparing halves allocates no numbers.
  const lists = feeds.map(({ source, keys }) => ({
    source,
    halves: new Uint32Array(keys.buffer, keys.byteOffset, 2 * keys.length),
  }));
  const size = feeds.reduce((sum, { keys }) => sum + keys.length, 0);
  return {
    size,
    /** Returns the sources in the order of the feeds, or undefined if no feed lists the key. */
    find(key: bigint): readonly ThreatSource[] | undefined {
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

export function packKeys(keys: Iterable<bigint>): PackedKeys {
  const sorted = BigUint64Array.from(keys).sort();
  return sorted.filter((key, at) => key !== sorted[at - 1]);
}

/** Returns the keys of `after` that are not in `before`. */
export function addedKeys(before: PackedKeys, after: PackedKeys): PackedKeys {
  let at = 0;
  return after.filter((key) => {
    while (at < before.length && before[at]! < key) at++;
    return before[at] !== key;
  });
}
