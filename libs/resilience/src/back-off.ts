/**
 * The pauses between attempts in milliseconds: `first` after the first failure, doubled with each further failure, at
 * most `most`.
 */
export interface BackOff {
  readonly first: number;
  readonly most: number;
}

/** After this number of doublings, every pause has reached its limit. Without it, the pause would become infinite. */
const MOST_DOUBLINGS = 30;

/**
 * Returns the pause in milliseconds after this number of failures in a row: a random 50 to 100 % of the full pause, so
 * that replicas do not retry at the same time.
 */
export function backOffMs({ first, most }: BackOff, failures: number, random = Math.random): number {
  const longest = Math.min(most, first * 2 ** Math.min(failures - 1, MOST_DOUBLINGS));
  return longest * (0.5 + random() / 2);
}

/** Returns an `onFailure` that reports only the failures that are noteworthy. */
export function ifNoteworthy(report: (error: unknown) => void): (error: unknown, failures: number) => void {
  return (error, failures) => {
    if (isNoteworthy(failures)) report(error);
  };
}

/** Returns whether to log this consecutive failure: the first, second, fourth, eighth and so on. */
export function isNoteworthy(failures: number): boolean {
  return (failures & (failures - 1)) === 0;
}
