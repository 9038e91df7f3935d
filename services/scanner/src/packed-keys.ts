/** Sorted and unique. */
export type PackedKeys = BigUint64Array<ArrayBuffer>;

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
