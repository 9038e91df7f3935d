import type { Concurrency } from '../platform/limits.ts';

/** Requests that ask the click store. */
export const CLICKS: Concurrency = { running: 2, waiting: 500 };
/** The limit includes reading the body, and so limits the memory for bodies. */
export const CREATIONS: Concurrency = { running: 8, waiting: 500 };
/** Changes that wait for each other's locks would keep as many connections of the pool. */
export const CHANGES: Concurrency = { running: 2, waiting: 500 };
export const DRY_RUNS: Concurrency = { running: 1, waiting: 500 };
