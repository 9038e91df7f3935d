/**
 * The threat database in memory: 64-bit hash prefixes in ascending order and, for each, the set of sources that list
 * it. It takes 12 bytes per entry (10 and the buckets), and a look-up allocates nothing. It is immutable: a new
 * generation is a new index, and a scan that has the old one finishes with it.
 */
import type { ThreatType } from '@waypost/domain';

export interface ThreatSource {
  readonly feed: string;
  readonly threatType: ThreatType;
}

/** Plain buffers, so that they move from the building worker to the reading thread without a copy. */
export interface IndexColumns {
  /** Pairs of low and high halves, ascending as 64-bit numbers. */
  readonly keys: Uint32Array<ArrayBuffer>;
  /** For each key, the number of its set in `sourceSets`. */
  readonly sets: Uint16Array<ArrayBuffer>;
  /** For each value of the top bits, the first key; one more at the end. */
  readonly buckets: Uint32Array<ArrayBuffer>;
  readonly sourceSets: readonly (readonly ThreatSource[])[];
}

export interface ThreatIndex {
  readonly size: number;
  /** Of memory. */
  readonly bytes: number;
  find(high: number, low: number): readonly ThreatSource[] | undefined;
}

export function threatIndex({ keys, sets, buckets, sourceSets }: IndexColumns): ThreatIndex {
  const shift = 32 - Math.log2(buckets.length - 1);
  return {
    size: sets.length,
    bytes: keys.byteLength + sets.byteLength + buckets.byteLength,
    find(high, low) {
      const bucket = high >>> shift;
      const end = buckets[bucket + 1]!;
      for (let at = buckets[bucket]!; at < end; at++) {
        const candidate = keys[2 * at + 1]!;
        if (candidate > high) return undefined;
        if (candidate === high && keys[2 * at] === low) return sourceSets[sets[at]!];
      }
      return undefined;
    },
  };
}

/** Keys of one feed, sorted and unique. The index and the files have them as little-endian 64-bit numbers. */
export type PackedKeys = BigUint64Array<ArrayBuffer>;

/** Takes pairs of low and high halves in any order. Sorts in place. */
export function packKeys(pairs: Uint32Array<ArrayBuffer>): PackedKeys {
  const keys = new BigUint64Array(pairs.buffer, pairs.byteOffset, pairs.length / 2).sort();
  const halves = halvesOf(keys);
  let size = 0;
  for (let at = 0; at < keys.length; at++) {
    const repeated = size > 0 && halves[2 * at] === halves[2 * size - 2] && halves[2 * at + 1] === halves[2 * size - 1];
    if (repeated) continue;
    halves[2 * size] = halves[2 * at]!;
    halves[2 * size + 1] = halves[2 * at + 1]!;
    size++;
  }
  return keys.slice(0, size);
}

export function halvesOf(keys: PackedKeys): Uint32Array<ArrayBuffer> {
  return new Uint32Array(keys.buffer, keys.byteOffset, keys.length * 2);
}

/** Merges sorted feeds into one index. */
export function mergeFeeds(
  feeds: readonly { readonly source: ThreatSource; readonly keys: PackedKeys }[],
): IndexColumns {
  const total = feeds.reduce((sum, { keys }) => sum + keys.length, 0);
  const merged = new Uint32Array(2 * total);
  const sets = new Uint16Array(total);
  const table = sourceSetTable(feeds.map(({ source }) => source));
  const heads = feeds.map(({ keys }) => ({ halves: halvesOf(keys), at: 0 }));
  let size = 0;
  for (;;) {
    let high = Number.POSITIVE_INFINITY;
    let low = 0;
    for (const { halves, at } of heads) {
      if (at >= halves.length) continue;
      const [l, h] = [halves[at]!, halves[at + 1]!];
      if (h < high || (h === high && l < low)) [high, low] = [h, l];
    }
    if (high === Number.POSITIVE_INFINITY) break;
    let set = 0;
    for (const [feed, head] of heads.entries()) {
      if (head.halves[head.at + 1] !== high || head.halves[head.at] !== low) continue;
      head.at += 2;
      set = table.with(set, feed);
    }
    merged[2 * size] = low;
    merged[2 * size + 1] = high;
    sets[size++] = set;
  }
  const keys = merged.slice(0, 2 * size);
  return { keys, sets: sets.slice(0, size), buckets: bucketsOf(keys), sourceSets: table.sets };
}

/** Numbers the sets of sources. There are few, so a key needs 16 bits for its set. Number 0 is the empty set. */
function sourceSetTable(sources: readonly ThreatSource[]) {
  const sets: ThreatSource[][] = [[]];
  const grown = new Map<number, number>();
  return {
    sets,
    with(set: number, feed: number): number {
      const step = set * sources.length + feed;
      const existing = grown.get(step);
      if (existing !== undefined) return existing;
      const next = sets.push([...sets[set]!, sources[feed]!]) - 1;
      if (next > 0xffff) throw new Error('more than 65,535 combinations of feeds');
      grown.set(step, next);
      return next;
    },
  };
}

const FEWEST_BITS = 8;
const MOST_BITS = 20;

/** About four keys per bucket, in 2^8 to 2^20 buckets. */
function bucketsOf(keys: Uint32Array): Uint32Array<ArrayBuffer> {
  const size = keys.length / 2;
  const bits = Math.min(MOST_BITS, Math.max(FEWEST_BITS, Math.ceil(Math.log2(Math.max(1, size / 4)))));
  const buckets = new Uint32Array(2 ** bits + 1);
  const shift = 32 - bits;
  for (let at = 0; at < size; at++) buckets[(keys[2 * at + 1]! >>> shift) + 1]!++;
  for (let bucket = 1; bucket < buckets.length; bucket++) buckets[bucket]! += buckets[bucket - 1]!;
  return buckets;
}

/** The keys of `after` that `before` lacks: what an import added. */
export function addedKeys(before: PackedKeys, after: PackedKeys): PackedKeys {
  const [old, now] = [halvesOf(before), halvesOf(after)];
  const added = new Uint32Array(now.length);
  let size = 0;
  let at = 0;
  for (let i = 0; i < now.length; i += 2) {
    const [low, high] = [now[i]!, now[i + 1]!];
    while (at < old.length && (old[at + 1]! < high || (old[at + 1] === high && old[at]! < low))) at += 2;
    if (at < old.length && old[at + 1] === high && old[at] === low) continue;
    added[size++] = low;
    added[size++] = high;
  }
  return new BigUint64Array(added.slice(0, size).buffer);
}
