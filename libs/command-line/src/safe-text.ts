/** Control and format characters, separators, lone surrogates. A terminal may obey them. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Returns one line that is safe for a terminal: a dangerous character is shown as `\u{202E}`. */
export function safeText(value: unknown): string {
  return String(value).replace(UNSAFE, (char) => `\\u{${char.codePointAt(0)!.toString(16).toUpperCase()}}`);
}

/** Returns the value as one line of JSON, with escapes for all characters that affect a terminal. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(UNSAFE, (char) =>
    char
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
