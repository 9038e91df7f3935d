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

/** With 16 bits for each key, one look-up in 16 of what is not listed goes on to the lists. */
const LEAST_BITS = 10;
const MOST_BITS = 30;

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
  const bits = Math.min(MOST_BITS, Math.max(LEAST_BITS, 36 - Math.clz32(size)));
  const filter = new Uint32Array(2 ** (bits - 5));
  for (const { halves } of lists) {
    for (let at = 1; at < halves.length; at += 2) {
      const bit = halves[at]! >>> (32 - bits);
      filter[bit >>> 5]! |= 1 << (bit & 31);
    }
  }
  return {
    size,
    /** Returns the sources in the order of the feeds, or undefined if no feed lists the key. */
    find(high: number, low: number): readonly ThreatSource[] | undefined {
      const bit = high >>> (32 - bits);
      if ((filter[bit >>> 5]! & (1 << (bit & 31))) === 0) return undefined;
      const sources = lists.filter(({ halves }) => has(halves, high, low)).map(({ source }) => source);
      return sources.length === 0 ? undefined : sources;
    },
  };
}

function has(halves: Uint32Array, high: number, low: number): boolean {
  let from = 0;
  let to = halves.length >>> 1;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const middleHigh = halves[2 * middle + 1]!;
    if (middleHigh < high || (middleHigh === high && halves[2 * middle]! < low)) from = middle + 1;
    else to = middle;
  }
  return halves[2 * from + 1] === high && halves[2 * from] === low;
}
