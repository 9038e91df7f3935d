/** How ordinary the letters of a name are: which three characters in a row names of much visited sites have. */
import { MOST_VISITED } from '../../data.ts';

/** In any such name, and in 20 or more of them. */
export const SELDOM: Set<number> = new Set();
export const OFTEN: Set<number> = new Set();

const counts = new Map<number, number>();
for (const domain of MOST_VISITED) {
  const length = domain.indexOf('.');
  for (let at = 2; at < length; at++) {
    const trigram = trigramAt(domain, at);
    const count = (counts.get(trigram) ?? 0) + 1;
    counts.set(trigram, count);
    SELDOM.add(trigram);
    if (count === 20) OFTEN.add(trigram);
  }
}
counts.clear();

/** The number of trigrams of the text that the set has. */
export function ordinaryTrigrams(text: string, trigrams: ReadonlySet<number> = SELDOM): number {
  let count = 0;
  for (let at = 2; at < text.length; at++) if (trigrams.has(trigramAt(text, at))) count++;
  return count;
}

function trigramAt(text: string, at: number): number {
  return (
    ((text.charCodeAt(at - 2) & 0x3ff) << 20) |
    ((text.charCodeAt(at - 1) & 0x3ff) << 10) |
    (text.charCodeAt(at) & 0x3ff)
  );
}
