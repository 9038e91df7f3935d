/**
 * What the lexical model sees of a URL: hashed pieces of its text and its shape. The scheme and `www` stay out: they
 * tell how a list was made, not what an address is. Reads a bounded number of characters, in one pass.
 */
import type { Subject } from '../rules/subject.ts';

/** Raise it with every change of a feature or of its hash: weights made with another version are refused. */
export const FEATURES_VERSION = 1;

/** How much of each part is read; an honest host or path is shorter. */
const MOST_HOST = 80;
const MOST_PATH = 120;
const MOST_QUERY = 80;
const MOST_FEATURES = 2_048;

/** Keeps the same text apart in different places. */
const SPACE = { hostGram: 1, hostWord: 2, suffix: 3, pathGram: 4, pathWord: 5, query: 6, shape: 7, tenantGram: 8 };

export interface Features {
  /** 32-bit hashes; the first `size` of them. */
  readonly hashes: Uint32Array;
  size: number;
}

const reused: Features = { hashes: new Uint32Array(MOST_FEATURES), size: 0 };

/** The features of a URL, in a buffer that the next call overwrites. */
export function featuresOf(subject: Subject): Features {
  reused.size = 0;
  const labels = subject.labels[0] === 'www' && subject.labels.length > 1 ? subject.labels.slice(1) : subject.labels;
  const name = labels.join('.').slice(0, MOST_HOST);
  const { suffix } = subject;
  const path = subject.path.slice(0, MOST_PATH).toLowerCase();
  const query = subject.url.search.slice(0, MOST_QUERY).toLowerCase();
  const kind = kindOf(subject);

  grams(SPACE.hostGram, `^${name}$`, 3, 5);
  if (subject.isFreeHosting) grams(SPACE.tenantGram, `^${name}$`, 3, 4);
  words(SPACE.hostWord, name);
  add(text(SPACE.suffix, suffix));
  add(text(SPACE.suffix, `.${suffix.slice(suffix.lastIndexOf('.') + 1)}`));
  if (path.length > 1) {
    grams(SPACE.pathGram, `${path}$`, 3, 4);
    words(SPACE.pathWord, path);
  }
  if (query !== '') words(SPACE.query, query);

  const registered = labels.at(-1) ?? '';
  const letters = count(name, /[a-z]/g);
  const digits = count(name, /[0-9]/g);
  const hyphens = count(name, /-/g);
  const vowels = count(name, /[aeiou]/g);
  const extension = /\.([a-z0-9]{1,5})$/.exec(path)?.[1] ?? '';
  shape(kind, 'host', name.length >> 2);
  shape(kind, 'registered', registered.length >> 1);
  shape(kind, 'labels', labels.length);
  shape(kind, 'digits', Math.min(digits, 12));
  shape(kind, 'hyphens', Math.min(hyphens, 6));
  shape(kind, 'vowels', letters === 0 ? 9 : Math.floor((8 * vowels) / letters));
  shape(kind, 'consonants', longestRun(name, /[b-df-hj-np-tv-z]+/g));
  shape(kind, 'digits and hyphens', Math.min(digits, 4) * 8 + Math.min(hyphens, 4));
  shape(kind, 'depth', Math.min(count(path, /\//g), 9));
  shape(kind, 'path', Math.min(path.length >> 3, 15));
  shape(kind, 'query', Math.min(query.length >> 3, 10));
  add(text(SPACE.shape, `${kind} .${extension}`));
  add(text(SPACE.shape, `${suffix} ${Math.min(hyphens, 4)} ${Math.min(digits, 4)}`));
  add(text(SPACE.shape, `${suffix} ${path.length > 1}`));
  if (subject.url.port !== '') add(text(SPACE.shape, `${kind} port`));
  return reused;
}

/** Hosts that are alike: a threshold for one kind says nothing about another. */
export const KINDS = ['tenant', 'tenant page', 'domain', 'domain page'] as const;
export type Kind = (typeof KINDS)[number];

export function kindOf({ isFreeHosting, url }: Subject): Kind {
  const hasPage = url.pathname.length > 1 || url.search !== '';
  if (isFreeHosting) return hasPage ? 'tenant page' : 'tenant';
  return hasPage ? 'domain page' : 'domain';
}

function add(hash: number): void {
  if (reused.size < MOST_FEATURES) reused.hashes[reused.size++] = mixed(hash);
}

function shape(kind: Kind, name: string, bucket: number): void {
  add(text(SPACE.shape, `${kind} ${name}`) ^ Math.imul(bucket + 1, 0x9e3779b1));
}

const PRIME = 0x01000193;
const START = 0x811c9dc5;

/** FNV-1a, by UTF-16 unit. */
function text(space: number, word: string): number {
  let hash = START ^ space;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), PRIME);
  return hash;
}

/** All pieces of `shortest` to `longest` characters. */
function grams(space: number, whole: string, shortest: number, longest: number): void {
  for (let from = 0; from <= whole.length - shortest; from++) {
    const end = Math.min(whole.length, from + longest);
    let hash = START ^ space;
    for (let at = from; at < end; at++) {
      hash = Math.imul(hash ^ whole.charCodeAt(at), PRIME);
      if (at - from + 1 >= shortest) add(hash);
    }
  }
}

/** The runs of letters and digits, and where the runs are long their pattern too. */
function words(space: number, whole: string): void {
  let hash = START ^ space;
  let pattern = START ^ space ^ 0x100;
  let length = 0;
  for (let at = 0; at <= whole.length; at++) {
    const code = at < whole.length ? whole.charCodeAt(at) : 0;
    if (isLetter(code) || isDigit(code) || code > 0x7f) {
      hash = Math.imul(hash ^ code, PRIME);
      pattern = Math.imul(pattern ^ (isDigit(code) ? 1 : isVowel(code) ? 2 : 3), PRIME);
      length++;
      continue;
    }
    if (length > 0) {
      add(hash);
      if (length >= 4) add(pattern);
    }
    hash = START ^ space;
    pattern = START ^ space ^ 0x100;
    length = 0;
  }
}

/** Spreads FNV's weak low bits (the finaliser of MurmurHash3). */
function mixed(hash: number): number {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

const count = (whole: string, wanted: RegExp) => whole.match(wanted)?.length ?? 0;

const longestRun = (whole: string, wanted: RegExp) =>
  Math.min(Math.max(0, ...(whole.match(wanted) ?? []).map((run) => run.length)), 12);

const isDigit = (code: number) => code >= 0x30 && code <= 0x39;
const isLetter = (code: number) => code >= 0x61 && code <= 0x7a;
/** Of a, e, i, o, u. */
const isVowel = (code: number) => isLetter(code) && ((0x104111 >>> (code - 0x61)) & 1) === 1;
