/**
 * Memoises a pure function of a text for up to `max` texts; with more, it begins anew, which costs less than an order of
 * use. A text that is a part of a larger one keeps all of that in memory: for texts of bounded size.
 */
export function memo<T>(make: (text: string) => T, max: number): (text: string) => T {
  const values = new Map<string, { readonly value: T }>();
  return (text) => {
    let known = values.get(text);
    if (known === undefined) {
      known = { value: make(text) };
      if (values.size >= max) values.clear();
      values.set(text, known);
    }
    return known.value;
  };
}
