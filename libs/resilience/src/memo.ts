import { LRUCache } from 'lru-cache';

/**
 * Memoises a pure function of a text for the `max` most recently used texts. Keeps copies of these, and makes the values
 * from them: V8 makes a part of a larger text a reference, which keeps all of it in memory.
 */
export function memo<T>(make: (text: string) => T, max: number): (text: string) => T {
  const made = new LRUCache<string, { readonly value: T }>({ max });
  return (text) => {
    let known = made.get(text);
    if (known === undefined) {
      const copy = Buffer.from(text, 'utf16le').toString('utf16le');
      known = { value: make(copy) };
      made.set(copy, known);
    }
    return known.value;
  };
}
