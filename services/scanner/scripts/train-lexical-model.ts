/**
 * Trains the lexical model on lists of URLs and writes data/lexical-model.bin. The same lists give the same file.
 *
 *   node services/scanner/scripts/train-lexical-model.ts FOLDER
 *
 * FOLDER has `harmful/*.txt` and `harmless/*.txt` with one URL per line. A fifth of the parties, and half of the harmless
 * tenants, are not learned from: they, and harmless URLs in `calibration/*.txt`, show how rare a score is.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeCheckedFile } from '../src/checked-file.ts';
import {
  LEXICAL_MODEL_FILE,
  lexicalModel,
  type ModelHeader,
  rarityTable,
  TREE_DEPTH,
} from '../src/judge/lexical/lexical-model.ts';
import {
  KINDS,
  type Kind,
  kindOf,
  type Levels,
  levelKeysOf,
  MOST_LEVELS,
  TRAITS_VERSION,
  traitsOf,
  USUAL_LEVEL,
} from '../src/judge/lexical/traits.ts';
import { type Subject, subjectOf } from '../src/judge/rules/subject.ts';

const TREES = 200;
const TREE_RATE = 0.1;
/** Each tree sees this share of the examples. */
const TREE_SHARE = 0.3;
/** The least weight of a leaf that counts half. */
const LEAF_WEIGHT = 20;

interface Example {
  readonly subject: Subject;
  readonly kind: Kind;
  readonly isHarmful: boolean;
  weight: number;
}

const folder = process.argv[2];
if (folder === undefined) {
  process.stderr.write('usage: train-lexical-model.ts FOLDER\n');
  process.exit(2);
}

const sources: { name: string; rows: number }[] = [];
const examples = [...examplesIn('harmful'), ...examplesIn('harmless')];
const training = examples.filter((example) => !isForValidation(example));
weigh(training);
const levels = levelsOf(training);
const forest = growTrees(training);
const header: ModelHeader = {
  kind: 'lexical-model',
  traits: TRAITS_VERSION,
  scale: forest.scale,
  levels,
  sources,
  rarity: noTables(),
};
const { score } = lexicalModel(header, forest.bytes);
const validation = examples.filter((example) => !example.isHarmful && isForValidation(example));
const calibration = [...validation, ...examplesIn('calibration')].map(({ subject, kind }) => ({
  kind,
  score: score(subject),
}));
const rarity = noTables();
for (const kind of KINDS)
  rarity[kind] = rarityTable(calibration.filter((one) => one.kind === kind).map((one) => one.score));
await writeCheckedFile(LEXICAL_MODEL_FILE, {
  header: { ...header, rarity },
  keys: new BigUint64Array(forest.bytes.buffer),
});
process.stdout.write(
  `${JSON.stringify({ learned: training.length, calibrated: calibration.length, ...header, rarity }, null, 2)}\n`,
);

function noTables(): Record<Kind, number[]> {
  return { tenant: [], 'tenant page': [], domain: [], 'domain page': [] };
}

function* examplesIn(part: 'harmful' | 'harmless' | 'calibration'): Generator<Example> {
  const isHarmful = part === 'harmful';
  const at = join(folder!, part);
  const files = readdirSync(folder!).includes(part) ? readdirSync(at).sort() : [];
  for (const file of files) {
    let rows = 0;
    for (const line of readFileSync(join(at, file), 'utf8').split('\n')) {
      const example = exampleOf(line.trim(), isHarmful);
      if (example === undefined) continue;
      rows++;
      yield example;
    }
    sources.push({ name: `${part}/${file}`, rows });
  }
}

/** Returns undefined for a URL that the model never judges: an IP address or a page of a most visited domain. */
function exampleOf(text: string, isHarmful: boolean): Example | undefined {
  const url = /^https?:\/\//.test(text) ? URL.parse(text) : null;
  if (url === null || url.hostname === '') return undefined;
  const subject = subjectOf(text, url);
  const kind = kindOf(subject);
  if (subject.labels.length === 0 || subject.labels[0] === '') return undefined;
  if (subject.isRanked && (isHarmful || kind === 'domain page')) return undefined;
  return { subject, kind, isHarmful, weight: 1 };
}

/** Harmless tenants are few, and a rare score shows only among many. */
function isForValidation({ subject: { tenant, isFreeHosting }, isHarmful }: Example): boolean {
  return hash(tenant) % (isFreeHosting && !isHarmful ? 2 : 5) === 0;
}

function hash(text: string): number {
  let value = 7;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return (value ^ (value >>> 15)) >>> 0;
}

/** A tenant counts by the square root of its URLs. For each kind of host, harmful and harmless URLs weigh the same. */
function weigh(all: readonly Example[]): void {
  const byTenant = Map.groupBy(all, ({ subject }) => subject.tenant);
  for (const same of byTenant.values()) for (const example of same) example.weight = 1 / Math.sqrt(same.length);
  for (const kind of KINDS) {
    const ofKind = all.filter((example) => example.kind === kind);
    const sides = [true, false].map((isHarmful) => ofKind.filter((example) => example.isHarmful === isHarmful));
    const totals = sides.map((side) => side.reduce((sum, { weight }) => sum + weight, 0));
    for (const [at, side] of sides.entries()) {
      const factor = Math.min(10, (totals[0]! + totals[1]!) / 2 / Math.max(1, totals[at]!));
      for (const example of side) example.weight *= factor;
    }
  }
}

/** How harmful a suffix or an extension is: 16 for as usual, 4 more for each doubling of the odds. */
function levelsOf(all: readonly Example[]): Levels {
  const totals = new Map<string, { harmful: number; harmless: number }>();
  for (const { subject, isHarmful, weight } of all) {
    for (const key of Object.values(levelKeysOf(subject))) {
      const total = totals.get(key) ?? { harmful: 0, harmless: 0 };
      total[isHarmful ? 'harmful' : 'harmless'] += weight;
      totals.set(key, total);
    }
  }
  const frequent = [...totals].filter(([, { harmful, harmless }]) => harmful + harmless >= LEAF_WEIGHT).sort();
  return Object.fromEntries(
    frequent.map(([key, { harmful, harmless }]) => {
      const level = USUAL_LEVEL + Math.round(4 * Math.log2((harmful + 5) / (harmless + 5)));
      return [key, Math.max(0, Math.min(MOST_LEVELS - 1, level))];
    }),
  );
}

/** Boosts trees on the traits. */
function growTrees(all: readonly Example[]): { scale: number; bytes: Int8Array<ArrayBuffer> } {
  const rows = all.map(({ subject }) => traitsOf(subject, levels));
  const columns = Array.from(rows[0]!, (_, trait) => Uint8Array.from(rows, (row) => row[trait]!));
  const sums = new Float64Array(all.length);
  const slopes = new Float64Array(all.length);
  const curves = new Float64Array(all.length);
  const leaves = new Uint8Array(all.length);
  const random = randomNumbers();
  const trees: { questions: number[]; values: Float64Array }[] = [];
  while (trees.length < TREES) {
    for (const [at, { isHarmful, weight }] of all.entries()) {
      const chance = 1 / (1 + Math.exp(-sums[at]!));
      slopes[at] = weight * (chance - (isHarmful ? 1 : 0));
      curves[at] = weight * chance * (1 - chance);
    }
    const sample = Uint32Array.from(all.keys().filter(() => random() < TREE_SHARE));
    leaves.fill(0);
    const questions: number[] = [];
    for (let depth = 0; depth < TREE_DEPTH; depth++) {
      const [trait, bound] = bestQuestion(columns, sample, leaves, 2 ** depth, slopes, curves);
      questions.push(trait, bound);
      const column = columns[trait]!;
      for (let at = 0; at < leaves.length; at++) leaves[at] = 2 * leaves[at]! + (column[at]! > bound ? 1 : 0);
    }
    const slope = new Float64Array(2 ** TREE_DEPTH);
    const curve = new Float64Array(2 ** TREE_DEPTH);
    for (let at = 0; at < leaves.length; at++) {
      slope[leaves[at]!]! += slopes[at]!;
      curve[leaves[at]!]! += curves[at]!;
    }
    const values = slope.map((sum, leaf) => (-TREE_RATE * sum) / (curve[leaf]! + LEAF_WEIGHT));
    for (let at = 0; at < leaves.length; at++) sums[at]! += values[leaves[at]!]!;
    trees.push({ questions, values });
  }
  const scale = Math.max(...trees.flatMap(({ values }) => Array.from(values, Math.abs))) / 127;
  const bytes = trees.flatMap(({ questions, values }) => [
    ...questions,
    ...Array.from(values, (value) => Math.round(value / scale)),
  ]);
  return { scale, bytes: Int8Array.from(bytes) };
}

/** The trait and bound that tell harmful from harmless best, given the leaves so far. */
function bestQuestion(
  columns: readonly Uint8Array[],
  sample: Uint32Array,
  leaves: Uint8Array,
  nodes: number,
  slopes: Float64Array,
  curves: Float64Array,
): readonly [trait: number, bound: number] {
  let best: readonly [number, number] = [0, 0];
  let mostGain = Number.NEGATIVE_INFINITY;
  const slope = new Float64Array(nodes * MOST_LEVELS);
  const curve = new Float64Array(nodes * MOST_LEVELS);
  const gains = new Float64Array(MOST_LEVELS);
  for (const [trait, column] of columns.entries()) {
    slope.fill(0);
    curve.fill(0);
    gains.fill(0);
    for (const at of sample) {
      const cell = leaves[at]! * MOST_LEVELS + column[at]!;
      slope[cell]! += slopes[at]!;
      curve[cell]! += curves[at]!;
    }
    for (let from = 0; from < slope.length; from += MOST_LEVELS) {
      const [allSlope, allCurve] = [slope, curve].map((cells) =>
        cells.subarray(from, from + MOST_LEVELS).reduce((a, b) => a + b),
      );
      let low = 0;
      let lowCurve = 0;
      for (let bound = 0; bound < MOST_LEVELS - 1; bound++) {
        low += slope[from + bound]!;
        lowCurve += curve[from + bound]!;
        gains[bound]! +=
          low ** 2 / (lowCurve + LEAF_WEIGHT) + (allSlope! - low) ** 2 / (allCurve! - lowCurve + LEAF_WEIGHT);
      }
    }
    for (let bound = 0; bound < MOST_LEVELS - 1; bound++) {
      if (gains[bound]! <= mostGain) continue;
      mostGain = gains[bound]!;
      best = [trait, bound];
    }
  }
  return best;
}

/** Returns the same numbers in each run, so that the file is reproducible. */
function randomNumbers(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
}
