/**
 * Text from outside on a terminal: a destination, a tag or a message may try to move the cursor or to reverse the
 * reading order.
 */

/**
 * Control characters (C0, DEL, C1), format characters (bidi controls and all without width), line and paragraph
 * separators, lone surrogates.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** One line, safe for a terminal: `\u{202E}` instead of a character that would reverse the line. */
export function safeText(value: unknown): string {
  return String(value).replace(UNSAFE, (char) => `\\u{${char.codePointAt(0)!.toString(16).toUpperCase()}}`);
}

/** The same JSON value on one line, in characters that do not affect a terminal. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(UNSAFE, (char) =>
    char
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
