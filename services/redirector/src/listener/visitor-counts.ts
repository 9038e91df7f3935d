/**
 * The counts of one visitor thread, in memory that it shares with the main thread. A count costs the thread one
 * addition. The main thread reads the counts without asking the thread, even after it has ended.
 */
import type { Distribution } from '@waypost/telemetry';
import type { Page } from '../pages/explanation-page.ts';

export const ANSWERS = [
  'redirect',
  'uncounted_redirect',
  'preview',
  'revoked',
  'flagged',
  'not_found',
  'unavailable',
  'home',
] as const satisfies readonly ('redirect' | 'uncounted_redirect' | Page['kind'])[];
export type Answer = (typeof ANSWERS)[number];

/** The place where a link was found: the thread's memory, the shared cache or the database. */
export const SOURCES = ['memory', 'cache', 'database'] as const;
export type Source = (typeof SOURCES)[number];

/** The upper bounds of the histogram, in seconds. */
export const DURATIONS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5] as const;
const BOUNDS_MS = DURATIONS.map((seconds) => 1_000 * seconds);

const SOURCES_AT = ANSWERS.length;
const DURATIONS_AT = SOURCES_AT + SOURCES.length;
const SUM_AT = DURATIONS_AT + DURATIONS.length + 1;
const SLOTS = SUM_AT + 1;
const answerAt = Object.fromEntries(ANSWERS.map((kind, i) => [kind, i])) as Record<Answer, number>;
const sourceAt = Object.fromEntries(SOURCES.map((source, i) => [source, SOURCES_AT + i])) as Record<Source, number>;

export interface VisitorFigures {
  readonly answers: Readonly<Record<Answer, number>>;
  readonly lookups: Readonly<Record<Source, number>>;
  readonly durations: Distribution;
}

export type VisitorCounts = ReturnType<typeof visitorCounts>;

/** Only one thread may count in a buffer, because the additions are not atomic. */
export function visitorCounts(buffer = new SharedArrayBuffer(SLOTS * Float64Array.BYTES_PER_ELEMENT)) {
  const slots = new Float64Array(buffer);
  return {
    buffer,
    answered(kind: Answer, times = 1): void {
      slots[answerAt[kind]]! += times;
    },
    lookup(source: Source, times = 1): void {
      slots[sourceAt[source]]! += times;
    },
    took(ms: number, times = 1): void {
      let bucket = 0;
      while (bucket < BOUNDS_MS.length && ms > BOUNDS_MS[bucket]!) bucket += 1;
      slots[DURATIONS_AT + bucket]! += times;
      slots[SUM_AT]! += (times * ms) / 1_000;
    },
  };
}

export function visitorFigures(counts: readonly VisitorCounts[]): VisitorFigures {
  const sums = new Float64Array(SLOTS);
  for (const { buffer } of counts) {
    const slots = new Float64Array(buffer);
    for (let i = 0; i < SLOTS; i += 1) sums[i]! += slots[i]!;
  }
  return {
    answers: Object.fromEntries(ANSWERS.map((kind) => [kind, sums[answerAt[kind]]])) as Record<Answer, number>,
    lookups: Object.fromEntries(SOURCES.map((source) => [source, sums[sourceAt[source]]])) as Record<Source, number>,
    durations: { counts: sums.subarray(DURATIONS_AT, SUM_AT), sum: sums[SUM_AT]! },
  };
}
