/**
 * What a benchmark measures, with its goals: printed as it comes, and left for the report of the whole set
 * (`npm run bench`), which passes the file's name in BENCH_FIGURES.
 */
import fs from 'node:fs';

export interface Figure {
  readonly what: string;
  readonly value: number | string;
  readonly unit: string;
  /** As a reader is told it, such as `<= 25 ms`. */
  readonly goal?: string;
  readonly met?: boolean;
}

export interface Goal {
  readonly words: string;
  readonly isMet: (value: number) => boolean;
}

export const atMost = (most: number): Goal => ({ words: `<= ${rounded(most)}`, isMet: (value) => value <= most });
export const below = (most: number): Goal => ({ words: `< ${rounded(most)}`, isMet: (value) => value < most });
export const atLeast = (least: number): Goal => ({ words: `>= ${rounded(least)}`, isMet: (value) => value >= least });
export const exactly = (wanted: number): Goal => ({ words: `${wanted}`, isMet: (value) => value === wanted });

const figures: Figure[] = [];

/** Prints a figure, and whether it meets its goal. */
export function figure(what: string, value: number | string, unit = '', goal?: Goal): void {
  const met = goal === undefined ? undefined : typeof value === 'number' && goal.isMet(value);
  figures.push({
    what,
    value: typeof value === 'number' ? rounded(value) : value,
    unit,
    ...(goal === undefined ? {} : { goal: `${goal.words}${unit === '' ? '' : ` ${unit}`}` }),
    ...(met === undefined ? {} : { met }),
  });
  console.log(sentence(figures.at(-1)!));
}

/** Prints how many goals were missed, and sets the exit code to 1 if one was. Comes last. */
export function endOfGoals(): void {
  const missed = figures.filter(({ met }) => met === false);
  const judged = figures.filter(({ met }) => met !== undefined);
  if (judged.length > 0)
    console.log(
      missed.length === 0 ? `all ${judged.length} goals met` : `${missed.length} of ${judged.length} goals MISSED`,
    );
  const file = process.env.BENCH_FIGURES;
  if (file !== undefined) fs.writeFileSync(file, JSON.stringify(figures));
  if (missed.length > 0) process.exitCode = 1;
}

function sentence({ what, value, unit, goal, met }: Figure): string {
  const judged = goal === undefined ? '' : `  (goal: ${goal})${met === false ? '  MISSED' : ''}`;
  return `${what}: ${value}${unit === '' ? '' : ` ${unit}`}${judged}`;
}

/** To three significant digits, and whole numbers from 100 on. */
const rounded = (value: number) =>
  Number.isInteger(value) || !Number.isFinite(value)
    ? value
    : Math.abs(value) >= 100
      ? Math.round(value)
      : Number(value.toPrecision(3));
