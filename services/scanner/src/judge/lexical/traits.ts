/** The shape of an address in small whole numbers, for decision trees: lengths, digits, hyphens, words, suffix. */
import { brandInside, isBrandToken, isWord, nearBrand } from '../rules/brand-names.ts';
import { LURE } from '../rules/shape-rules.ts';
import type { Subject } from '../rules/subject.ts';
import { KINDS, kindOf } from './features.ts';
import { countsOf } from './letters.ts';
import { OFTEN, ordinaryTrigrams, SELDOM } from './trigrams.ts';

/** A trait is a whole number below this. */
export const MOST_LEVELS = 32;

/** Labels and characters to read. An honest address has fewer. */
const MOST_LABELS = 12;
const MOST_PATH = 120;

/** How harmful addresses with a suffix (`.top`) or a file extension (`/php`) are, as learned: 0 to 31. */
export type Levels = Readonly<Record<string, number>>;

/** What is as usual among harmless addresses as among others. */
export const USUAL_LEVEL = 16;

export function levelKeysOf({ suffix, path }: Subject): { readonly suffix: string; readonly extension: string } {
  const dot = suffix.lastIndexOf('.');
  return {
    suffix: `.${suffix.slice(dot + 1)}`,
    extension: `/${/\.([a-z0-9]{1,5})$/i.exec(path.slice(-8))?.[1]?.toLowerCase() ?? (path.length > 1 ? 'page' : 'home')}`,
  };
}

/** One value for each trait, in this order. */
export function traitsOf(subject: Subject, levels: Levels): readonly number[] {
  const [first, ...others] = subject.labels;
  const labels = (first === 'www' && others.length > 0 ? others : subject.labels).slice(-MOST_LABELS);
  const registered = labels.at(-1) ?? '';
  const below = labels.slice(0, -1).join('.');
  const path = subject.path.slice(0, MOST_PATH);
  const name = countsOf(registered);
  const front = countsOf(below);
  const page = countsOf(path);
  const words = labels.flatMap((label) => label.split('-'));
  const keys = levelKeysOf(subject);
  return [
    KINDS.indexOf(kindOf(subject)),
    levels[keys.suffix] ?? USUAL_LEVEL,
    levels[keys.extension] ?? USUAL_LEVEL,
    atMost(registered.length),
    atMost(name.digits),
    atMost(name.hyphens),
    atMost(name.longestConsonants),
    registered.length === 0 ? 0 : Math.floor((31 * name.vowels) / registered.length),
    ordinariness(registered, SELDOM),
    ordinariness(registered, OFTEN),
    distinct(registered),
    atMost(labels.length),
    atMost(below.length),
    atMost(front.digits),
    atMost(front.hyphens),
    ordinariness(below, SELDOM),
    atMost(words.reduce((longest, word) => Math.max(longest, word.length), 0)),
    LURE.test(labels.join('.')) ? 1 : 0,
    words.some((word) => isBrandToken(word) && !isWord(word)) ? 2 : brandInside(labels.join('.')) === undefined ? 0 : 1,
    nearBrand(registered, 6) === undefined ? 0 : 1,
    atMost(path.length >> 2),
    atMost(page.slashes),
    atMost(page.digits),
    atMost(page.hyphens),
    ordinariness(path.slice(1).toLowerCase(), SELDOM),
    LURE.test(path.toLowerCase()) ? 1 : 0,
    atMost(subject.url.search.length >> 2),
    /\d$/.test(registered) ? 1 : /^\d/.test(registered) ? 2 : 0,
    page.capitals > 0 ? 1 : 0,
  ];
}

const atMost = (value: number) => Math.min(value, MOST_LEVELS - 1);

function distinct(text: string): number {
  let others = 0;
  for (let at = 0; at < text.length; at++) if (text.indexOf(text[at]!) === at) others++;
  return text.length === 0 ? 0 : Math.floor((31 * others) / text.length);
}

/** From 1, where no much visited name has such characters in a row, to 31. 0 if the text is too short to tell. */
function ordinariness(text: string, trigrams: ReadonlySet<number>): number {
  return text.length < 4 ? 0 : 1 + Math.round((30 * ordinaryTrigrams(text, trigrams)) / (text.length - 2));
}
