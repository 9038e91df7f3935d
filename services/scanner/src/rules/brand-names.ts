/** Brands to protect, indexed so that a look at one host costs a few map look-ups, however many brands there are. */

import { memo } from '@waypost/resilience';
import { BRANDS } from '../data.ts';

/** Tokens that are also words or common names: alone they say nothing, only beside a word like "login". */
const WORDS = new Set(
  `apple orange chase steam stripe discord messenger outlook ledger phantom exodus gemini kraken booking hermes wise zoom
   fidelity vanguard blockchain allegro webmail intuit telegram target robinhood mercari upbit correos freefire evernote
   impots ameli mygov wetransfer`.split(/\s+/),
);
/** Words and names that stand one letter away from a brand by themselves. */
const ORDINARY = new Set('signpost huntingdon barclay racebook citybank quickbook epicgame sparkassen'.split(' '));
/** Too close to ordinary words for a search inside longer ones: "revolution", "epicgamestore" and the like. */
const NOT_INSIDE = new Set(['revolut', 'rakuten', 'comcast']);
const SHORTEST = 5;
const SHORTEST_INSIDE = 7;
const SHORTEST_READ = 6;
const SHORTEST_TYPO = 8;
const LONGEST_WORD = 24;
const NAMES = 1_000;

const official = new Set(BRANDS.flatMap((brand) => brand.official));
/** Names in which a brand stands with the consent of its owner, or by coincidence, though not on a list of theirs. */
const KNOWN_GOOD = new Set(
  `payments-amazon.com amazonpay.com aboutamazon.com netflixtechblog.com githubstatus.com 9to5google.com steamdb.info
   steamcharts.com facebookblueprint.com capitaloneshopping.com amazonwatch.org amazonfrontlines.org microsoftcasualgames.com
   googlewatchblog.de paypal-community.com paypal-support.com hsbcnet.com sparkasse.at metamask.zendesk.com`.split(
    /\s+/,
  ),
);

const tokens = new Set(BRANDS.map(({ token }) => token).filter((token) => token.length >= SHORTEST));
const insideTokens = [...tokens].filter(
  (token) => token.length >= SHORTEST_INSIDE && !WORDS.has(token) && !NOT_INSIDE.has(token),
);
const readTokens = [...tokens].filter((token) => token.length >= SHORTEST_READ && !WORDS.has(token));
/** "paypal.com" by its first label, to find it inside a host. */
const officialByFirstLabel = new Map<string, string[]>();
for (const domain of official) {
  const label = domain.slice(0, domain.indexOf('.'));
  officialByFirstLabel.set(label, [...(officialByFirstLabel.get(label) ?? []), domain]);
}
const deletions = new Map<string, string[]>();
for (const token of tokens) {
  for (const variant of oneDeleted(token)) deletions.set(variant, [...(deletions.get(variant) ?? []), token]);
}

export function isOfficial(domain: string): boolean {
  return official.has(domain) || KNOWN_GOOD.has(domain);
}

export function isBrandToken(text: string): boolean {
  return tokens.has(text);
}

export function isWord(token: string): boolean {
  return WORDS.has(token);
}

/** A brand of seven letters or more somewhere in the text. */
export function brandInside(text: string): string | undefined {
  return insideTokens.find((token) => text.includes(token));
}

/** A brand in what a text reads as, that does not stand in the text itself: so it is written to be misread. */
export function brandReadInside(text: string, reading: string): string | undefined {
  return readTokens.find((token) => reading.includes(token) && !text.includes(token));
}

/** A brand that a word becomes when one of two equal letters goes: "paypall", "gooogle". */
export function brandWithDoubledLetter(word: string): string | undefined {
  if (word.length > LONGEST_WORD || tokens.has(word) || ORDINARY.has(word)) return undefined;
  for (let at = 1; at < word.length; at++) {
    if (word[at] !== word[at - 1]) continue;
    const single = word.slice(0, at) + word.slice(at + 1);
    if (tokens.has(single)) return single;
  }
  return undefined;
}

/** An official domain that stands in these labels, followed by others: `paypal.com` in `paypal.com.evil.top`. */
export function embeddedOfficial(labels: readonly string[]): string | undefined {
  for (const [at, label] of labels.entries()) {
    const found = officialByFirstLabel.get(label)?.find((domain) => {
      const wanted = domain.split('.');
      return wanted.every((part, offset) => labels[at + offset] === part) && at + wanted.length < labels.length;
    });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A brand one slip away: a letter more, less or other, or two swapped. */
export function nearBrand(name: string, shortest = SHORTEST_TYPO): string | undefined {
  if (name.length < shortest - 1 || name.length > LONGEST_WORD || ORDINARY.has(name)) return undefined;
  return near(name).find((token) => token.length >= shortest);
}

const near = memo((name): readonly string[] => {
  if (tokens.has(name)) return [];
  const candidates = [name, ...oneDeleted(name)].flatMap((variant) => [
    ...(tokens.has(variant) ? [variant] : []),
    ...(deletions.get(variant) ?? []),
  ]);
  return candidates.filter((token) => !WORDS.has(token) && isOneSlip(name, token));
}, NAMES);

function oneDeleted(text: string): string[] {
  return Array.from(text, (_, at) => text.slice(0, at) + text.slice(at + 1));
}

function isOneSlip(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (left.length + right.length <= 1 || (left.length === 1 && right.length === 1)) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}
