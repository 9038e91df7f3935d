/**
 * Remembers the values of a pure function for up to `max` texts. With more, it starts over, which is cheaper than
 * tracking use. It copies each text first. In V8 a part of a larger text is a reference, which keeps the whole text in
 * memory.
 */
export function memo<T>(make: (text: string) => T, max: number): (text: string) => T {
  const values = new Map<string, { readonly value: T }>();
  return (text) => {
    let value = values.get(text);
    if (value === undefined) {
      const copy = Buffer.from(text, 'utf16le').toString('utf16le');
      value = { value: make(copy) };
      if (values.size >= max) values.clear();
      values.set(copy, value);
    }
    return value.value;
  };
}
