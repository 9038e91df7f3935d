/**
 * Memoises a pure function of a text for up to `max` texts; with more, it begins anew, which costs less than an order of
 * use. Keeps copies of the texts, and makes the values from them: V8 makes a part of a larger text a reference, which keeps
 * all of it in memory.
 */
export function memo<T>(make: (text: string) => T, max: number): (text: string) => T {
  const values = new Map<string, { readonly value: T }>();
  return (text) => {
    let known = values.get(text);
    if (known === undefined) {
      const copy = Buffer.from(text, 'utf16le').toString('utf16le');
      known = { value: make(copy) };
      if (values.size >= max) values.clear();
      values.set(copy, known);
    }
    return known.value;
  };
}
