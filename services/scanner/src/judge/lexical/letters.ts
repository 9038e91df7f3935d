/** The characters of a text, counted in one pass. Letters are the small ones, `a` to `z`. */
export function countsOf(text: string) {
  const counts = { letters: 0, digits: 0, hyphens: 0, vowels: 0, slashes: 0, capitals: 0, longestConsonants: 0 };
  let consonants = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isConsonant = isLetter(code) && !isVowel(code);
    consonants = isConsonant ? consonants + 1 : 0;
    counts.longestConsonants = Math.max(counts.longestConsonants, consonants);
    if (isLetter(code)) counts.letters++;
    if (isVowel(code)) counts.vowels++;
    else if (isDigit(code)) counts.digits++;
    else if (code === 0x2d) counts.hyphens++;
    else if (code === 0x2f) counts.slashes++;
    else if (code >= 0x41 && code <= 0x5a) counts.capitals++;
  }
  return counts;
}

export const isDigit = (code: number) => code >= 0x30 && code <= 0x39;
export const isLetter = (code: number) => code >= 0x61 && code <= 0x7a;
export const isVowel = (code: number) => isLetter(code) && ((0x104111 >>> (code - 0x61)) & 1) === 1;
