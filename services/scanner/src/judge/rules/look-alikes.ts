/** From Unicode's confusables (UTS 39), limited to what IDNA allows. Decomposition removes marks from letters. */
const CONFUSABLE = new Map<string, string>();
for (const [latin, others] of Object.entries({
  a: 'аɑαạӑ',
  b: 'ЬьƄɓβ',
  c: 'сϲƈ',
  d: 'ԁɗđժ',
  e: 'еєҽɛε',
  f: 'ƒẝ',
  g: 'ɡցǥɠ',
  h: 'һհɦ',
  i: 'іıɩɪι',
  j: 'јʝ',
  k: 'кκқҝ',
  l: 'ӏłɫاⅼ',
  m: 'мɱ',
  n: 'ոռпηɲ',
  o: 'оοօσөøᴏ০',
  p: 'рρƿϱ',
  q: 'ԛգɋ',
  r: 'гɾɼᴦ',
  s: 'ѕʂꜱ',
  t: 'тτƭ',
  u: 'սυʋцμ',
  v: 'ѵνᴠ',
  w: 'ԝωшɯ',
  x: 'хχ',
  y: 'уүγყ',
  z: 'ᴢʐƶ',
})) {
  for (const other of others) if (!CONFUSABLE.has(other)) CONFUSABLE.set(other, latin);
}

/** A label as a hasty reader sees it. */
export function skeleton(label: string): string {
  const bare = label.normalize('NFKD').replace(/\p{M}/gu, '');
  return Array.from(bare, (char) => CONFUSABLE.get(char) ?? char).join('');
}

const DIGITS: Record<string, string> = { 0: 'o', 3: 'e', 4: 'a', 5: 's', 7: 't', 8: 'b' };

/** Readings of a word with digits, `rn` and `vv` read as letters; empty if it has none of these. */
export function plainReadings(word: string): string[] {
  if (!/[0134578]|rn|vv/.test(word) || /^\d+$/.test(word)) return [];
  const letters = word
    .replace(/rn/g, 'm')
    .replace(/vv/g, 'w')
    .replace(/[034578]/g, (digit) => DIGITS[digit]!);
  const readings = letters.includes('1') ? ['l', 'i'].map((one) => letters.replaceAll('1', one)) : [letters];
  return readings.filter((reading) => reading !== word);
}

const SCRIPTS: readonly RegExp[] = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
];

/** Whether a word has two alphabets. (Han with kana, or Hangul with Han, is ordinary.) */
export function mixesAlphabets(label: string): boolean {
  return SCRIPTS.filter((script) => script.test(label)).length > 1;
}
