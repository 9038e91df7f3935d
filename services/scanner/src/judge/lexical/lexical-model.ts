/** Boosted trees over the shape of phishing and malware addresses (services/scanner/data/lexical-model.md). */

import { readCheckedFile } from '../../checked-file.ts';
import { dataPath } from '../../data.ts';
import type { Subject } from '../rules/subject.ts';
import { type Kind, kindOf, type Levels, TRAITS_VERSION, traitsOf } from './traits.ts';

export const LEXICAL_MODEL_FILE = dataPath('lexical-model.bin');

export interface ModelHeader {
  readonly kind: 'lexical-model';
  /** The version of the traits. */
  readonly traits: number;
  readonly scale: number;
  readonly levels: Levels;
  /** For each kind of host, ascending scores: 1 in 10^(n/2) harmless addresses of that kind reach the n-th. */
  readonly rarity: Readonly<Record<Kind, readonly number[]>>;
  readonly sources: readonly { readonly name: string; readonly rows: number }[];
}

/** All nodes of one depth ask the same question: a trait and a bound. Then come the values of the leaves. */
export const TREE_DEPTH = 6;
const LEAVES_AT = 2 * TREE_DEPTH;
/** A shift, because the engine takes a power for a fraction, and then every place in the trees. */
const TREE_BYTES = LEAVES_AT + (1 << TREE_DEPTH);

/** Throws if the file is damaged, or was made for other traits. */
export function loadLexicalModel(file = LEXICAL_MODEL_FILE) {
  const content = readCheckedFile(file);
  const header = content?.header as ModelHeader | undefined;
  if (content === undefined || header?.traits !== TRAITS_VERSION) {
    throw new Error(`${file} is no lexical model for version ${TRAITS_VERSION} of the traits`);
  }
  const { keys } = content;
  return lexicalModel(header, new Int8Array(keys.buffer, keys.byteOffset, keys.byteLength));
}

export function lexicalModel({ scale, levels, rarity }: ModelHeader, trees: Int8Array) {
  /** Above 0, the address is more like the harmful addresses. */
  const score = (subject: Subject) => scale * sumOfTrees(trees, traitsOf(subject, levels));
  return {
    score,
    /** How many powers of ten of harmless addresses of the same kind of host score lower. 0 for an IP address. */
    rarity: (subject: Subject) => (subject.labels.length === 0 ? 0 : rarityOf(score(subject), rarity[kindOf(subject)])),
  };
}

function sumOfTrees(trees: Int8Array, traits: Uint8Array): number {
  let sum = 0;
  for (let tree = 0; tree < trees.length; tree += TREE_BYTES) {
    // One line for each of TREE_DEPTH questions: a loop over them would take more than twice as long.
    const leaf =
      (isAbove(trees, tree, traits) << 5) |
      (isAbove(trees, tree + 2, traits) << 4) |
      (isAbove(trees, tree + 4, traits) << 3) |
      (isAbove(trees, tree + 6, traits) << 2) |
      (isAbove(trees, tree + 8, traits) << 1) |
      isAbove(trees, tree + 10, traits);
    sum += trees[tree + LEAVES_AT + leaf]!;
  }
  return sum;
}

/** 1 or 0. The sign of the difference is the answer: a branch that nothing predicts would take three times as long. */
function isAbove(trees: Int8Array, at: number, traits: Uint8Array): number {
  return (trees[at + 1]! - traits[trees[at]!]!) >>> 31;
}

function rarityOf(score: number, table: readonly number[]): number {
  let above = 0;
  while (above < table.length && table[above]! <= score) above++;
  if (above === 0 || above === table.length) return above / 2;
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
