import type { Share } from '../platform/limits.ts';

/** Requests that ask the click store. */
export const CLICKS: Share = { running: 2, waiting: 500 };
/** The limit includes reading the body, and so limits the memory for bodies. */
export const CREATIONS: Share = { running: 8, waiting: 500 };
export const DRY_RUNS: Share = { running: 1, waiting: 500 };
