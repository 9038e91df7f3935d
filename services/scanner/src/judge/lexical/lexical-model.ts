/** A linear model of the text of phishing and malware addresses (services/scanner/data/lexical-model.md). */

import { readCheckedFile } from '../../checked-file.ts';
import { dataPath } from '../../data.ts';
import type { Subject } from '../rules/subject.ts';
import { FEATURES_VERSION, featuresOf, type Kind, kindOf, newFeatureBuffer } from './features.ts';
import { type Levels, traitsOf } from './traits.ts';

export const LEXICAL_MODEL_FILE = dataPath('lexical-model.bin');

export interface ModelHeader {
  readonly kind: 'lexical-model';
  /** The version of the features. */
  readonly features: number;
  /** The number of weights is 2 to the power of this. */
  readonly bits: number;
  readonly scale: number;
  /** After the weights come this many trees. */
  readonly trees: number;
  readonly treeScale: number;
  readonly levels: Levels;
  /** For each kind of host, ascending scores: 1 in 10^(n/2) harmless addresses of that kind reach the n-th. */
  readonly rarity: Readonly<Record<Kind, readonly number[]>>;
  readonly sources: readonly { readonly name: string; readonly rows: number }[];
}

export interface LexicalModel {
  /** Above 0, the address is more like the harmful addresses. */
  score(subject: Subject): number;
  /** How many powers of ten of harmless addresses of the same kind of host score lower. 0 for an IP address. */
  rarity(subject: Subject): number;
}

/** All nodes of one depth ask the same question: a trait and a bound. Then come the values of the leaves. */
export const TREE_DEPTH = 6;
export const TREE_BYTES = 2 * TREE_DEPTH + 2 ** TREE_DEPTH;

/** Throws if the file is damaged, or was made for other features. */
export function loadLexicalModel(file = LEXICAL_MODEL_FILE): LexicalModel {
  const content = readCheckedFile(file);
  const header = content?.header as ModelHeader | undefined;
  if (content === undefined || header?.features !== FEATURES_VERSION) {
    throw new Error(`${file} is no lexical model for version ${FEATURES_VERSION} of the features`);
  }
  const { keys } = content;
  return lexicalModel(header, new Int8Array(keys.buffer, keys.byteOffset, keys.byteLength));
}

export function lexicalModel(header: ModelHeader, bytes: Int8Array): LexicalModel {
  const { bits, scale, trees, treeScale, levels, rarity } = header;
  const shift = 32 - bits;
  const forest = bytes.subarray(2 ** bits, 2 ** bits + trees * TREE_BYTES);
  const buffer = newFeatureBuffer();
  const score = (subject: Subject): number => {
    const hashes = featuresOf(subject, buffer);
    let sum = 0;
    for (const hash of hashes) sum += bytes[hash >>> shift]!;
    return (
      (scale * sum) / Math.sqrt(Math.max(1, hashes.length)) + treeScale * sumOfTrees(forest, traitsOf(subject, levels))
    );
  };
  return {
    score,
    rarity: (subject) => (subject.labels.length === 0 ? 0 : rarityOf(score(subject), rarity[kindOf(subject)])),
  };
}

function sumOfTrees(forest: Int8Array, traits: readonly number[]): number {
  let sum = 0;
  for (let tree = 0; tree < forest.length; tree += TREE_BYTES) {
    let leaf = 0;
    // The sign of the difference is the answer: a branch that nothing predicts would take three times as long.
    for (let at = tree; at < tree + 2 * TREE_DEPTH; at += 2)
      leaf = (leaf << 1) | ((forest[at + 1]! - traits[forest[at]!]!) >>> 31);
    sum += forest[tree + 2 * TREE_DEPTH + leaf]!;
  }
  return sum;
}

function rarityOf(score: number, table: readonly number[]): number {
  const above = table.findIndex((bound) => bound > score);
  if (above < 0) return table.length / 2;
  if (above === 0) return 0;
  const [low, high] = [table[above - 1]!, table[above]!];
  return (above + (score - low) / (high - low)) / 2;
}

/** The scores that 1 in 10^0.5, 10^1, … of these reach, as long as at least three of them do. */
export function rarityTable(scores: readonly number[]): number[] {
  const descending = Float64Array.from(scores).sort().reverse();
  const table: number[] = [];
  for (let power = 0.5; ; power += 0.5) {
    const at = Math.floor(descending.length / 10 ** power);
    if (at < 3) return table;
    table.push(Math.max(descending[at]!, (table.at(-1) ?? Number.NEGATIVE_INFINITY) + 0.01));
  }
}
