/**
 * A linear model of how the addresses of phishing and malware pages read (services/scanner/data/lexical-model.md). It
 * only knows text, so its answer is a degree of suspicion, weighed with other signs.
 */
import { dataPath } from '../data.ts';
import type { Subject } from '../rules/subject.ts';
import { readCheckedFile } from '../threat-index/checked-file.ts';
import { FEATURES_VERSION, featuresOf, type Kind, kindOf } from './features.ts';

export const LEXICAL_MODEL_FILE = dataPath('lexical-model.bin');

export interface ModelHeader {
  readonly kind: 'lexical-model';
  /** Of the features that the weights belong to. */
  readonly features: number;
  /** The number of weights is 2 to the power of this. */
  readonly bits: number;
  /** What a weight of 1 in the file stands for. */
  readonly scale: number;
  /** For each kind of host, ascending scores: the n-th is reached by 1 in 10^(n/2) harmless addresses of that kind. */
  readonly rarity: Readonly<Record<Kind, readonly number[]>>;
  readonly sources: readonly { readonly name: string; readonly rows: number }[];
}

export interface LexicalModel {
  /** The sum of the weights; above 0 is more like the harmful addresses that it learned from. */
  score(subject: Subject): number;
  /** How many powers of ten of harmless addresses of the same kind of host score lower. 0 for an IP address. */
  rarity(subject: Subject): number;
}

/** Throws if the file is damaged, or was made for other features: it ships with the program. */
export function loadLexicalModel(file = LEXICAL_MODEL_FILE): LexicalModel {
  const content = readCheckedFile(file);
  const header = content?.header as ModelHeader | undefined;
  if (content === undefined || header?.features !== FEATURES_VERSION) {
    throw new Error(`${file} is no lexical model for version ${FEATURES_VERSION} of the features`);
  }
  const { keys } = content;
  return lexicalModel(header, new Int8Array(keys.buffer, keys.byteOffset, keys.byteLength));
}

export function lexicalModel({ bits, scale, rarity }: ModelHeader, weights: Int8Array): LexicalModel {
  const shift = 32 - bits;
  const score = (subject: Subject): number => {
    const { hashes, size } = featuresOf(subject);
    let sum = 0;
    for (let at = 0; at < size; at++) sum += weights[hashes[at]! >>> shift]!;
    return (scale * sum) / Math.sqrt(Math.max(1, size));
  };
  return {
    score,
    rarity: (subject) => (subject.labels.length === 0 ? 0 : rarityOf(score(subject), rarity[kindOf(subject)])),
  };
}

/** Between two known scores, in proportion. */
function rarityOf(score: number, known: readonly number[]): number {
  const above = known.findIndex((bound) => bound > score);
  if (above < 0) return known.length / 2;
  if (above === 0) return 0;
  const [low, high] = [known[above - 1]!, known[above]!];
  return (above + (score - low) / (high - low)) / 2;
}

/** The scores that 1 in 10^0.5, 10^1, … of these reach, as far as at least three of them reach it. */
export function rarityTable(scores: readonly number[]): number[] {
  const descending = Float64Array.from(scores).sort().reverse();
  const table: number[] = [];
  for (let power = 0.5; ; power += 0.5) {
    const at = Math.floor(descending.length / 10 ** power);
    if (at < 3) return table;
    table.push(Math.max(descending[at]!, (table.at(-1) ?? Number.NEGATIVE_INFINITY) + 0.01));
  }
}
