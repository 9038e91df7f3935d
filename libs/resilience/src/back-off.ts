/** Pauses between attempts, in milliseconds: `first`, doubled with each failure, up to `most`. */
export interface BackOff {
  readonly first: number;
  readonly most: number;
}

/** After this many doublings every pause has reached its limit; the cap keeps the number finite. */
const MOST_DOUBLINGS = 30;

/**
 * How long to wait after this many consecutive failures (1 or more): with jitter, 50 to 100 % of the pause, so that
 * replicas do not retry in step.
 */
export function backOffMs({ first, most }: BackOff, failures: number, random = Math.random): number {
  const longest = Math.min(most, first * 2 ** Math.min(failures - 1, MOST_DOUBLINGS));
  return longest * (0.5 + random() / 2);
}

/** Whether to log this consecutive failure: the first, second, fourth, eighth and so on. */
export function isNoteworthy(failures: number): boolean {
  return (failures & (failures - 1)) === 0;
}
