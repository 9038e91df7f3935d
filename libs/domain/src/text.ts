/** White space as Unicode defines it, and U+FEFF. JavaScript's `\s` lacks U+0085. */
const SPACE = /[\s\u0085]/;

/** DEL, C1, line and paragraph separators, bidi controls, U+FFFD. */
const UNSAFE_ABOVE = '\\u007f-\\u009f\\u2028\\u2029\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ufffd';
/**
 * For use in a character class: those, and C0. They break a line, or make a text look like another one. A text of
 * several lines has line ends.
 */
export const UNSAFE_CHARACTERS = `\\u0000-\\u001f${UNSAFE_ABOVE}`;
export const UNSAFE_IN_LINES = `\\u0000-\\u0009\\u000b\\u000c\\u000e-\\u001f${UNSAFE_ABOVE}`;
const UNSAFE = new RegExp(`[${UNSAFE_CHARACTERS}]|\\p{Surrogate}`, 'u');
const EACH_UNSAFE = new RegExp(`[${UNSAFE_CHARACTERS}]|\\p{Surrogate}`, 'gu');
const UNSAFE_LINES = new RegExp(`[${UNSAFE_IN_LINES}]|\\p{Surrogate}`, 'u');
const EACH_UNSAFE_IN_LINES = new RegExp(`[${UNSAFE_IN_LINES}]|\\p{Surrogate}`, 'gu');

/** Returns the problem of a text that other people will read, on one line or on `several`. */
export function unsafeTextProblem(text: string, lines: 'one' | 'several' = 'one'): string | undefined {
  return (lines === 'one' ? UNSAFE : UNSAFE_LINES).test(text)
    ? 'must not contain control characters, text direction marks or invalid Unicode'
    : undefined;
}

/** Returns the problem of a text that an owner gives to a link: a tag, title or note. It is trimmed before. */
export function linkTextProblem(text: string, most: number, lines?: 'one' | 'several'): string | undefined {
  if (text === '') return 'must not be empty';
  // No code point has more than two code units.
  if (text.length > 2 * most || [...text].length > most)
    return `must have at most ${most.toLocaleString('en')} characters`;
  return unsafeTextProblem(text, lines);
}

/** Makes a title or note of a text of another program: what is unsafe becomes a space, and the end is cut off. */
export function linkTextOf(text: string, most: number, lines: 'one' | 'several' = 'one'): string {
  const safe = text.replace(lines === 'one' ? EACH_UNSAFE : EACH_UNSAFE_IN_LINES, ' ').trim();
  return [...safe.slice(0, 2 * most)].slice(0, most).join('').trim();
}

/** A regular expression for spaces at the end would start again at each space within the text, so this uses indexes. */
export function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && SPACE.test(text[start]!)) start++;
  while (end > start && SPACE.test(text[end - 1]!)) end--;
  return text.slice(start, end);
}

/** Undefined if the text is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Undefined if the text is not percent-encoded UTF-8. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
