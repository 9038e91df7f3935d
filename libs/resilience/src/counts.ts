/** Counts what is under way for each key. A key without any takes no memory. */
export function countsByKey() {
  const counts = new Map<string, number>();
  const of = (key: string): number => counts.get(key) ?? 0;
  return {
    of,
    /** Returns what takes it back, to be called once. */
    add(key: string): () => void {
      counts.set(key, of(key) + 1);
      return () => {
        if (of(key) === 1) counts.delete(key);
        else counts.set(key, of(key) - 1);
      };
    },
  };
}

/** Puts the value last, and removes the first one above `most`. */
export function putLast<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value!);
}
