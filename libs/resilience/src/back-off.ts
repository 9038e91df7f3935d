/** Pauses between attempts, in milliseconds: `first` doubles with each failure, up to `most`. */
export interface BackOff {
  readonly first: number;
  readonly most: number;
}

/** Beyond that many doublings every pause has reached its limit, and the number stays finite. */
const MOST_DOUBLINGS = 30;

/**
 * How long to wait after so many failures in a row (1 or more): with jitter, half to all of the pause, so that replicas
 * do not come back together.
 */
export function backOffMs({ first, most }: BackOff, failures: number, random = Math.random): number {
  const longest = Math.min(most, first * 2 ** Math.min(failures - 1, MOST_DOUBLINGS));
  return longest * (0.5 + random() / 2);
}

/** Whether to log this failure of a row: the first, then at ever longer distances (the second, fourth, eighth ...). */
export function isNoteworthy(failures: number): boolean {
  return (failures & (failures - 1)) === 0;
}
