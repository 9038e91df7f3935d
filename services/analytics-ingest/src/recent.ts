/**
 * Remembers what was made for the keys seen of late, at most twice `size` of them: two generations, of which the older
 * is forgotten whole. No bookkeeping per hit, and a flood of new keys costs memory that is bounded.
 */
export function recent<V>(size: number, make: (key: string) => V): (key: string) => V {
  let young = new Map<string, V>();
  let old = new Map<string, V>();
  return (key) => {
    const known = young.get(key);
    if (known !== undefined) return known;
    const value = old.get(key) ?? make(key);
    if (young.size >= size) {
      old = young;
      young = new Map();
    }
    young.set(key, value);
    return value;
  };
}
