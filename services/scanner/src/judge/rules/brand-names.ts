/** Brands to protect, indexed so that checking a host takes a few map look-ups, however many brands there are. */
import { BRANDS, MOST_VISITED } from '../../data.ts';

/** These brands are also words or common names, so they count only beside a word like "login". */
const WORDS = new Set(
  `apple orange chase steam stripe discord messenger outlook ledger phantom exodus gemini kraken booking hermes wise
   zoom fidelity vanguard blockchain allegro webmail intuit telegram target robinhood mercari upbit correos freefire
   evernote impots ameli mygov wetransfer`.split(/\s+/),
);
/** Ordinary words and names that differ from a brand by one letter. */
const ORDINARY = new Set(
  'signpost huntingdon barclay racebook citybank quickbook epicgame sparkassen mobile amazin'.split(' '),
);
/** Brands too close to ordinary words to search for inside longer ones ("revolution", "epicgamestore"). */
const NOT_INSIDE = new Set(['revolut', 'rakuten', 'comcast']);
const SHORTEST = 5;
const SHORTEST_INSIDE = 7;
const SHORTEST_READ = 6;
const SHORTEST_TYPO = 8;
const LONGEST_WORD = 24;
const LONGEST_START = 13;

const official = new Set(BRANDS.flatMap((brand) => brand.official));
/** These names contain a brand with its owner's consent, or by coincidence. */
const HARMLESS = new Set(
  `payments-amazon.com amazonpay.com aboutamazon.com netflixtechblog.com githubstatus.com 9to5google.com steamdb.info
   steamcharts.com facebookblueprint.com capitaloneshopping.com amazonwatch.org amazonfrontlines.org hsbcnet.com
   microsoftcasualgames.com googlewatchblog.de paypal-community.com paypal-support.com sparkasse.at
   metamask.zendesk.com amazon-dynamodb-labs.com`.split(/\s+/),
);

const tokens = new Set(BRANDS.map(({ token }) => token).filter((token) => token.length >= SHORTEST));
const insideTokens = tokensFrom(SHORTEST_INSIDE);
const readTokens = tokensFrom(SHORTEST_READ);
const officialByFirstLabel = new Map<string, string[]>();
for (const domain of official) {
  const label = domain.slice(0, domain.indexOf('.'));
  officialByFirstLabel.set(label, [...(officialByFirstLabel.get(label) ?? []), domain]);
}
/** A slip changes at most two letters in a row, so the first two or the last two of a name remain. */
const slippable = [...tokens].filter((token) => !WORDS.has(token));
const byFirstTwo = Map.groupBy(slippable, (token) => token.slice(0, 2));
const byLastTwo = Map.groupBy(slippable, (token) => token.slice(-2));

const LARGE_RANK = 2_500;
const mostVisited = new Set(MOST_VISITED.slice(0, LARGE_RANK));
/** Brands so well known that their names mistyped are seldom anything else. */
const large = new Set(
  BRANDS.filter(
    ({ token, official }) => readTokens.tokens.includes(token) && official.some((domain) => mostVisited.has(domain)),
  ).map(({ token }) => token),
);

function tokensFrom(shortest: number) {
  const list = [...tokens].filter((token) => token.length >= shortest && !WORDS.has(token) && !NOT_INSIDE.has(token));
  return { tokens: list, byStart: Map.groupBy(list, (token) => startAt(token, 0)) };
}

/** Three characters as one number, because a text for each place would take longer. Others may have the same. */
function startAt(text: string, at: number): number {
  return (text.charCodeAt(at) << 16) ^ (text.charCodeAt(at + 1) << 8) ^ text.charCodeAt(at + 2);
}

export function isOfficial(domain: string): boolean {
  return official.has(domain) || HARMLESS.has(domain);
}

/** Whether this domain belongs to the owner of the brand, as blogspot.com does to Google. */
export function isOfficialOf(token: string, domain: string): boolean {
  return BRANDS.some((brand) => brand.token === token && brand.official.includes(domain));
}

export function isBrandToken(text: string): boolean {
  return tokens.has(text);
}

export function isWord(token: string): boolean {
  return WORDS.has(token);
}

/** Finds a longer brand anywhere in the text. */
export function brandInside(text: string): string | undefined {
  return tokensInside(text, insideTokens)[0];
}

/** Finds a brand in a reading of the text that is not in the text itself, because such a text is made to be misread. */
export function brandReadInside(text: string, reading: string): string | undefined {
  return tokensInside(reading, readTokens).find((token) => !text.includes(token));
}

/** In the order of the brands. Looks for all at once, since there are hundreds of them and most texts have none. */
function tokensInside(text: string, { tokens, byStart }: ReturnType<typeof tokensFrom>): readonly string[] {
  for (let at = 0; at + SHORTEST_READ <= text.length; at++) {
    const isInside = byStart.get(startAt(text, at))?.some((token) => text.startsWith(token, at));
    if (isInside) return tokens.filter((token) => text.includes(token));
  }
  return [];
}

/** Finds the brand that remains without one of two equal letters: "paypall", "gooogle". */
export function brandWithDoubledLetter(word: string): string | undefined {
  if (word.length > LONGEST_WORD || tokens.has(word) || ORDINARY.has(word)) return undefined;
  for (let at = 1; at < word.length; at++) {
    if (word[at] !== word[at - 1]) continue;
    const single = word.slice(0, at) + word.slice(at + 1);
    if (tokens.has(single)) return single;
  }
  return undefined;
}

/** Finds an official domain that other labels follow: `paypal.com` in `paypal.com.evil.top`. */
export function embeddedOfficial(labels: readonly string[]): string | undefined {
  for (const [at, label] of labels.entries()) {
    const embedded = officialByFirstLabel.get(label)?.find((domain) => {
      const parts = domain.split('.');
      return parts.every((part, offset) => labels[at + offset] === part) && at + parts.length < labels.length;
    });
    if (embedded !== undefined) return embedded;
  }
  return undefined;
}

/** Finds a brand one typing error away: an added, missing or different letter, or two swapped ones. */
export function nearBrand(name: string, shortest = SHORTEST_TYPO): string | undefined {
  if (name.length < shortest - 1 || name.length > LONGEST_WORD || ORDINARY.has(name)) return undefined;
  if (tokens.has(name)) return undefined;
  return brandsNear(name).find((token) => token.length >= shortest);
}

let lastName = '';
let lastNear: readonly string[] = [];

/** Several rules ask for the same name in turn. */
function brandsNear(name: string): readonly string[] {
  if (name === lastName) return lastNear;
  const alike = [...(byFirstTwo.get(name.slice(0, 2)) ?? []), ...(byLastTwo.get(name.slice(-2)) ?? [])];
  lastName = name;
  lastNear = alike.filter((token) => isOneSlip(name, token));
  return lastNear;
}

/** Finds a large brand that a slip of the finger or the eye makes this name of: "gooogle", "amzaon", "faceboik". */
export function mistypedLargeBrand(name: string): string | undefined {
  const brand = nearBrand(name, SHORTEST_READ);
  return brand !== undefined && large.has(brand) && isMistyped(name, brand) ? brand : undefined;
}

const KEYS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];
const LOOK_ALIKE = new Set('il li ij ji jl lj uv vu gq qg mn nm'.split(' '));

/** For names that are one edit apart: a letter doubled, dropped, swapped, of a neighbouring key, or much like it. */
function isMistyped(name: string, brand: string): boolean {
  let at = 0;
  while (at < brand.length && name[at] === brand[at]) at++;
  if (at === 0) return false;
  if (name.length > brand.length) return name[at] === name[at - 1];
  // A word of five letters is often a word of its own: "papal", "Goole", "Cosco".
  if (name.length < brand.length) return at < name.length && name.length > SHORTEST;
  const [typed, meant] = [name[at]!, brand[at]!];
  return typed === brand[at + 1] || LOOK_ALIKE.has(typed + meant) || areNeighbours(typed, meant);
}

function areNeighbours(a: string, b: string): boolean {
  const [rowA, rowB] = [a, b].map((key) => KEYS.findIndex((row) => row.includes(key)));
  if (rowA === -1 || rowB === -1) return false;
  const step = KEYS[rowA!]!.indexOf(a) - KEYS[rowB!]!.indexOf(b);
  // Each row begins half a key further right than the one above it.
  return rowA === rowB
    ? Math.abs(step) === 1
    : rowB! - rowA! === 1
      ? step === 0 || step === 1
      : rowA! - rowB! === 1 && (step === 0 || step === -1);
}

/** Finds a brand one typing error away from the start of a longer word: "kucooinlogi". */
export function brandNearStart(word: string): string | undefined {
  for (let end = SHORTEST_READ; end <= Math.min(word.length - 1, LONGEST_START); end++) {
    const brand = nearBrand(word.slice(0, end), SHORTEST_READ);
    if (brand !== undefined) return brand;
  }
  return undefined;
}

function isOneSlip(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const [ofA, ofB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (ofA.length + ofB.length <= 1 || (ofA.length === 1 && ofB.length === 1)) return true;
  return ofA.length === 2 && ofB.length === 2 && ofA[0] === ofB[1] && ofA[1] === ofB[0];
}
