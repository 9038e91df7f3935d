import { LRUCache } from 'lru-cache';

/** Memoises a pure function of a text for the `max` most recently used texts. */
export function memo<T>(make: (text: string) => T, max: number): (text: string) => T {
  const made = new LRUCache<string, { readonly value: T }>({ max });
  return (text) => {
    let known = made.get(text);
    if (known === undefined) {
      known = { value: make(text) };
      made.set(text, known);
    }
    return known.value;
  };
}
