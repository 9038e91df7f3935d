/** The shape of an address in small whole numbers, for decision trees: lengths, digits, hyphens, words, suffix. */
import { brandInside, isBrandToken, isWord, nearBrand } from '../rules/brand-names.ts';
import { LURE } from '../rules/shape-rules.ts';
import type { Subject } from '../rules/subject.ts';
import { countsOf } from './letters.ts';
import { OFTEN, ordinaryTrigrams, SELDOM } from './trigrams.ts';

/** Raise it with every change of a trait: trees made with another version are refused. */
export const TRAITS_VERSION = 1;

/** A trait is a whole number below this. */
export const MOST_LEVELS = 32;

/** Labels and characters to read. An honest address has fewer. */
const MOST_LABELS = 12;
const MOST_PATH = 120;

/** The kinds of hosts. Each has its own threshold, because scores of different kinds do not compare. */
export const KINDS = ['tenant', 'tenant page', 'domain', 'domain page'] as const;
export type Kind = (typeof KINDS)[number];

export function kindOf({ isFreeHosting, url }: Subject): Kind {
  const hasPage = url.pathname.length > 1 || url.search !== '';
  if (isFreeHosting) return hasPage ? 'tenant page' : 'tenant';
  return hasPage ? 'domain page' : 'domain';
}

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
export function traitsOf(subject: Subject, levels: Levels): Uint8Array {
  const all = subject.labels;
  const labels = all.slice(Math.max(all[0] === 'www' && all.length > 1 ? 1 : 0, all.length - MOST_LABELS));
  const text = labels.join('.');
  const registered = labels.at(-1) ?? '';
  const below = text.slice(0, Math.max(0, text.length - registered.length - 1));
  const path = subject.path.slice(0, MOST_PATH);
  const lowerPath = path.toLowerCase();
  const name = countsOf(registered);
  const front = countsOf(below);
  const page = countsOf(path);
  const words = text.split(/[.-]/);
  const keys = levelKeysOf(subject);
  return Uint8Array.of(
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
    LURE.test(text) ? 1 : 0,
    words.some((word) => isBrandToken(word) && !isWord(word)) ? 2 : brandInside(text) === undefined ? 0 : 1,
    nearBrand(registered, 6) === undefined ? 0 : 1,
    atMost(path.length >> 2),
    atMost(page.slashes),
    atMost(page.digits),
    atMost(page.hyphens),
    ordinariness(lowerPath.slice(1), SELDOM),
    LURE.test(lowerPath) ? 1 : 0,
    atMost(subject.url.search.length >> 2),
    /\d$/.test(registered) ? 1 : /^\d/.test(registered) ? 2 : 0,
    page.capitals > 0 ? 1 : 0,
  );
}

const atMost = (value: number) => Math.min(value, MOST_LEVELS - 1);

function distinct(text: string): number {
  let others = 0;
  for (let at = 0; at < text.length; at++) if (text.indexOf(text[at]!) === at) others++;
  return text.length === 0 ? 0 : Math.floor((31 * others) / text.length);
}

/** From 1, where no much visited name has such characters in a row, to 31. 0 if the text is too short to tell. */
function ordinariness(text: string, least: number): number {
  return text.length < 4 ? 0 : 1 + Math.round((30 * ordinaryTrigrams(text, least)) / (text.length - 2));
}
