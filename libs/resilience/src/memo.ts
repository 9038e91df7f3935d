import { LRUCache } from 'lru-cache';

/** A pure function of a text that remembers what it made for the `max` texts used last. */
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
