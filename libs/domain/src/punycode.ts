/**
 * Decodes punycode (RFC 3492): the text of an `xn--` label without its prefix, or undefined if it is not punycode. `new
 * URL()` does not check such labels (Node accepts `xn--0.pt`), so the URL policy has to.
 */
export function decodePunycode(encoded: string): string | undefined {
  if (encoded.length > LONGEST) return undefined;
  const split = encoded.lastIndexOf('-');
  const output = split > 0 ? Array.from(encoded.slice(0, split), (char) => char.codePointAt(0)!) : [];
  let n = 128;
  let bias = 72;
  let index = 0;
  let at = split >= 0 ? split + 1 : 0;
  if (at === encoded.length) return undefined;
  while (at < encoded.length) {
    const before = index;
    let weight = 1;
    for (let k = BASE; ; k += BASE) {
      const digit = digitOf(encoded.charCodeAt(at++));
      if (digit === undefined) return undefined;
      index += digit * weight;
      if (index > MAX) return undefined;
      const threshold = Math.min(Math.max(k - bias, 1), 26);
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    const length = output.length + 1;
    bias = adapt(index - before, length, before === 0);
    n += Math.floor(index / length);
    if (n > 0x10ffff || (n >= 0xd800 && n <= 0xdfff)) return undefined;
    index %= length;
    output.splice(index++, 0, n);
  }
  return String.fromCodePoint(...output);
}

/**
 * The room in a label of 63 characters. Longer text would cost quadratic time: each character is inserted among those
 * before it.
 */
const LONGEST = 63 - 'xn--'.length;
const BASE = 36;
const MAX = 0x7fffffff;

function digitOf(code: number): number | undefined {
  if (code >= 0x30 && code <= 0x39) return code - 0x30 + 26;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x7a ? letter - 0x61 : undefined;
}

function adapt(delta: number, length: number, first: boolean): number {
  let rest = first ? Math.floor(delta / 700) : delta >> 1;
  rest += Math.floor(rest / length);
  let k = 0;
  for (; rest > 455; k += BASE) rest = Math.floor(rest / 35);
  return k + Math.floor((36 * rest) / (rest + 38));
}
