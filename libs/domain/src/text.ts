/** White space as Unicode defines it, and U+FEFF. JavaScript's `\s` lacks U+0085. */
const SPACE = /[\s\u0085]/;

/**
 * For use in a character class: C0, DEL, C1, line and paragraph separators, bidi controls, U+FFFD. They break a line,
 * or make a text look like another one.
 */
export const UNSAFE_CHARACTERS =
  '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ufffd';
const UNSAFE = new RegExp(`[${UNSAFE_CHARACTERS}]|\\p{Surrogate}`, 'u');

/** Returns the problem of a text that other people will read on one line. */
export function unsafeTextProblem(text: string): string | undefined {
  return UNSAFE.test(text) ? 'must not contain control characters, text direction marks or invalid Unicode' : undefined;
}

/** A regular expression for spaces at the end would start again at each space within the text, so this uses indexes. */
export function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && SPACE.test(text[start]!)) start++;
  while (end > start && SPACE.test(text[end - 1]!)) end--;
  return text.slice(start, end);
}
