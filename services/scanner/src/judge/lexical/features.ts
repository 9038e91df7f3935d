/**
 * Hashed pieces of a URL's text, and its shape. The scheme and `www` stay out: they show how a list was made, not what
 * an address is.
 */
import type { Subject } from '../rules/subject.ts';
import { countsOf, isDigit, isLetter, isVowel } from './letters.ts';
import { ordinaryTrigrams } from './trigrams.ts';

/** Raise it with every change of a feature or of its hash: weights made with another version are refused. */
export const FEATURES_VERSION = 2;

/** The number of characters to read of each part. An honest host or path is shorter. */
const MOST_HOST = 80;
const MOST_PATH = 120;
const MOST_QUERY = 80;
const MOST_FEATURES = 2_048;

/** The same text in another part of the URL is another feature. */
const SPACE = {
  hostGram: 1,
  hostWord: 2,
  suffix: 3,
  pathGram: 4,
  pathWord: 5,
  query: 6,
  shape: 7,
  tenantGram: 8,
  registeredGram: 9,
  pattern: 10,
};

export const newFeatureBuffer = () => new Uint32Array(MOST_FEATURES);

/** The features of a URL, as 32-bit hashes in the buffer. A new buffer for each URL would take a tenth of a scan. */
export function featuresOf(subject: Subject, buffer = newFeatureBuffer()): Uint32Array {
  const labels = subject.labels[0] === 'www' && subject.labels.length > 1 ? subject.labels.slice(1) : subject.labels;
  const name = labels.join('.').slice(0, MOST_HOST);
  const { suffix } = subject;
  const registered = labels.at(-1)?.slice(0, MOST_HOST) ?? '';
  const path = subject.path.slice(0, MOST_PATH).toLowerCase();
  const query = subject.url.search.slice(0, MOST_QUERY).toLowerCase();
  const kind = kindOf(subject);
  const features = new Features(kind, buffer);

  features.grams(SPACE.hostGram, `^${name}$`, 3, 5);
  if (subject.isFreeHosting) features.grams(SPACE.tenantGram, `^${name}$`, 3, 4);
  if (labels.length > 1) features.grams(SPACE.registeredGram, `^${registered}$`, 3, 4);
  features.words(SPACE.hostWord, name);
  features.text(SPACE.suffix, suffix);
  features.text(SPACE.suffix, `.${suffix.slice(suffix.lastIndexOf('.') + 1)}`);
  if (path.length > 1) {
    features.grams(SPACE.pathGram, `${path}$`, 3, 4);
    features.words(SPACE.pathWord, path);
  }
  if (query !== '') features.words(SPACE.query, query);

  const { letters, digits, hyphens, vowels, longestConsonants } = countsOf(name);
  const extension = /\.([a-z0-9]{1,5})$/.exec(path)?.[1] ?? '';
  features.shape('host', name.length >> 2);
  features.shape('registered', registered.length >> 1);
  features.shape('labels', labels.length);
  features.shape('digits', Math.min(digits, 12));
  features.shape('hyphens', Math.min(hyphens, 6));
  features.shape('vowels', letters === 0 ? 9 : Math.floor((8 * vowels) / letters));
  features.shape('consonants', Math.min(longestConsonants, 12));
  features.shape('digits and hyphens', Math.min(digits, 4) * 8 + Math.min(hyphens, 4));
  features.shape('depth', Math.min(countsOf(path).slashes, 9));
  features.shape('path', Math.min(path.length >> 3, 15));
  features.shape('query', Math.min(query.length >> 3, 10));
  features.text(SPACE.shape, `${kind} .${extension}`);
  features.text(SPACE.shape, `${suffix} ${Math.min(hyphens, 4)} ${Math.min(digits, 4)}`);
  const ordinary = ordinariness(registered);
  const topLevel = suffix.slice(suffix.lastIndexOf('.') + 1);
  features.shape('ordinary', ordinary);
  features.text(SPACE.shape, `${topLevel} ordinary ${ordinary}`);
  features.text(SPACE.shape, `${kind} ordinary ${ordinary} ${Math.min(registered.length >> 1, 10)}`);
  features.text(SPACE.shape, `${topLevel} length ${Math.min(registered.length >> 1, 10)}`);
  features.text(SPACE.shape, `${topLevel} labels ${labels.length}`);
  features.pattern(SPACE.pattern, registered, kind, topLevel);
  features.text(SPACE.shape, `${suffix} ${path.length > 1}`);
  if (subject.url.port !== '') features.text(SPACE.shape, `${kind} port`);
  return features.hashes();
}

/** From 0, where no much visited site has such letters in a row, to 8. 9 for a name that is too short to tell. */
function ordinariness(name: string): number {
  return name.length < 5 ? 9 : Math.round((8 * ordinaryTrigrams(name)) / (name.length - 2));
}

/** The kinds of hosts. Each has its own threshold, because scores of different kinds do not compare. */
export const KINDS = ['tenant', 'tenant page', 'domain', 'domain page'] as const;
export type Kind = (typeof KINDS)[number];

export function kindOf({ isFreeHosting, url }: Subject): Kind {
  const hasPage = url.pathname.length > 1 || url.search !== '';
  if (isFreeHosting) return hasPage ? 'tenant page' : 'tenant';
  return hasPage ? 'domain page' : 'domain';
}

const PRIME = 0x01000193;
const START = 0x811c9dc5;

class Features {
  readonly #kind: Kind;
  readonly #hashes: Uint32Array;
  #size = 0;

  constructor(kind: Kind, buffer: Uint32Array) {
    this.#kind = kind;
    this.#hashes = buffer;
  }

  hashes(): Uint32Array {
    return this.#hashes.subarray(0, this.#size);
  }

  text(space: number, text: string): void {
    this.#add(hashOf(space, text));
  }

  shape(name: Shape, bucket: number): void {
    this.#add(SHAPE_HASHES[this.#kind][name] ^ Math.imul(bucket + 1, 0x9e3779b1));
  }

  grams(space: number, whole: string, shortest: number, longest: number): void {
    for (let from = 0; from <= whole.length - shortest; from++) {
      const end = Math.min(whole.length, from + longest);
      let hash = START ^ space;
      for (let at = from; at < end; at++) {
        hash = Math.imul(hash ^ whole.charCodeAt(at), PRIME);
        if (at - from + 1 >= shortest) this.#add(hash);
      }
    }
  }

  words(space: number, whole: string): void {
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
      if (length > 0) this.#add(hash);
      if (length >= 4) this.#add(pattern);
      hash = START ^ space;
      pattern = START ^ space ^ 0x100;
      length = 0;
    }
  }

  /** The runs of letters, digits and hyphens, and how long each is. */
  pattern(space: number, whole: string, kind: Kind, topLevel: string): void {
    let runs = '';
    for (const run of whole.match(/[0-9]+|-+|[^0-9-]+/g) ?? []) {
      const code = run.charCodeAt(0);
      runs += `${code === 0x2d ? '-' : isDigit(code) ? '0' : 'a'}${Math.min(7, run.length <= 4 ? run.length : 3 + (run.length >> 2))}`;
    }
    this.#add(hashOf(space, `${kind} ${runs}`));
    this.#add(hashOf(space, `${topLevel} ${runs}`));
  }

  #add(hash: number): void {
    if (this.#size < MOST_FEATURES) this.#hashes[this.#size++] = mix(hash);
  }
}

/** FNV-1a, by UTF-16 unit. */
function hashOf(space: number, text: string): number {
  let hash = START ^ space;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  return hash;
}

const SHAPES = [
  ...(['host', 'registered', 'labels', 'digits', 'hyphens', 'vowels', 'consonants', 'digits and hyphens'] as const),
  ...(['depth', 'path', 'query', 'ordinary'] as const),
];
type Shape = (typeof SHAPES)[number];
/** Of all kinds, because a text for each of a URL would take long. */
const SHAPE_HASHES = Object.fromEntries(
  KINDS.map((kind) => [
    kind,
    Object.fromEntries(SHAPES.map((shape) => [shape, hashOf(SPACE.shape, `${kind} ${shape}`)])),
  ]),
) as Record<Kind, Record<Shape, number>>;

/** Spreads FNV's weak low bits (the finaliser of MurmurHash3). */
function mix(hash: number): number {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
