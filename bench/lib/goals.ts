export interface Goal {
  readonly words: string;
  readonly isMet: (value: number) => boolean;
}

export const atMost = (most: number): Goal => ({ words: `<= ${rounded(most)}`, isMet: (value) => value <= most });
export const atLeast = (least: number): Goal => ({ words: `>= ${rounded(least)}`, isMet: (value) => value >= least });
export const exactly = (expected: number): Goal => ({ words: `${expected}`, isMet: (value) => value === expected });

let judged = 0;
let missed = 0;

export function figure(what: string, value: number, unit = '', goal?: Goal): void {
  const isMissed = goal !== undefined && !goal.isMet(value);
  if (goal !== undefined) judged++;
  if (isMissed) missed++;
  const withUnit = (text: number | string) => `${text}${unit === '' ? '' : ` ${unit}`}`;
  const verdict = goal === undefined ? '' : `  (goal: ${withUnit(goal.words)})${isMissed ? '  MISSED' : ''}`;
  console.log(`${what}: ${withUnit(rounded(value))}${verdict}`);
}

/** Prints how many goals were missed, and sets the exit code to 1 if any was. Call it last. */
export function endOfGoals(): void {
  if (judged > 0) console.log(missed === 0 ? `all ${judged} goals met` : `${missed} of ${judged} goals MISSED`);
  if (missed > 0) process.exitCode = 1;
}

/** Rounds to three significant digits, and to whole numbers from 100 on. */
const rounded = (value: number) =>
  Number.isInteger(value) || !Number.isFinite(value)
    ? value
    : Math.abs(value) >= 100
      ? Math.round(value)
      : Number(value.toPrecision(3));
