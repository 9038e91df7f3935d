/** How ordinary the letters of a name are: which three characters in a row names of much visited sites have. */
import { MOST_VISITED } from '../../data.ts';

/** In any such name, and in 20 or more of them. */
export const SELDOM = 1;
export const OFTEN = 20;

/** Names have fewer than 64 different characters. 0 for all others. */
const BITS = 6;
const MASK = (1 << (3 * BITS)) - 1;
const NUMBERS = new Uint8Array(0x400);
const COUNTS = new Uint8Array(MASK + 1);

let characters = 0;
for (const domain of MOST_VISITED) {
  const length = domain.indexOf('.');
  let trigram = 0;
  for (let at = 0; at < length; at++) {
    const code = domain.charCodeAt(at);
    NUMBERS[code] ||= ++characters;
    trigram = ((trigram << BITS) | NUMBERS[code]) & MASK;
    if (at >= 2 && COUNTS[trigram]! < OFTEN) COUNTS[trigram]!++;
  }
}

/** The number of trigrams of the text that at least `least` names have. */
export function ordinaryTrigrams(text: string, least: number): number {
  let count = 0;
  let trigram = 0;
  for (let at = 0; at < text.length; at++) {
    trigram = ((trigram << BITS) | NUMBERS[text.charCodeAt(at) & 0x3ff]!) & MASK;
    if (at >= 2 && COUNTS[trigram]! >= least) count++;
  }
  return count;
}
