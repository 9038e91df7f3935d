import { setImmediate as nextTurn } from 'node:timers/promises';
import { CLICK_RETENTION_DAYS, type ClickEvent, DomainError, type EnrichedClick } from '@waypost/domain';
import type { BusHandler, ClickSink, Delivery, Park } from '@waypost/ports';
import { enrich } from '../enrich.ts';

export interface StoreClicksDeps {
  readonly sink: ClickSink;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Told once for each batch that was dealt with. */
  readonly onBatch: (outcome: BatchOutcome) => void;
}

export interface BatchOutcome {
  readonly stored: number;
  readonly tookMs: number;
}

/** In one process with the redirector, visitors come first: no longer stretch than this many clicks (1 to 3 ms). */
const YIELD_EVERY = 256;

const DAY_MS = 86_400_000;
/** A clock that is this far ahead is wrong. A day ahead is still counted, on the day it says. */
const MAX_AHEAD_MS = DAY_MS;

/**
 * Topic `clicks`: enriches and stores. Returns when every click of the batch is durable or parked; throws when the store
 * or the bus is away, and the bus then brings the batch again, which changes no figure.
 */
export function storeClicks(deps: StoreClicksDeps): BusHandler<ClickEvent> {
  return async (deliveries, park) => {
    const startedAt = performance.now();
    const rows: Row[] = [];
    for (const [index, delivery] of deliveries.entries()) {
      if (index > 0 && index % YIELD_EVERY === 0) await nextTurn();
      const problem = timeProblem(delivery.event, deps.now());
      if (problem === undefined) rows.push({ delivery, click: enrich(delivery.event) });
      else park(delivery, new Error(problem));
    }
    const stored = await storeRows(deps.sink, rows, park);
    deps.onBatch({ stored, tookMs: Math.round(performance.now() - startedAt) });
  };
}

interface Row {
  readonly delivery: Delivery<ClickEvent>;
  readonly click: EnrichedClick;
}

/** A click outside what is kept could only be counted on a wrong day, or thrown away by the retention. */
function timeProblem({ at }: ClickEvent, now: number): string | undefined {
  if (at < now - CLICK_RETENTION_DAYS * DAY_MS)
    return `older than the ${CLICK_RETENTION_DAYS} days that clicks are kept`;
  if (at > now + MAX_AHEAD_MS) return 'more than a day in the future';
  return undefined;
}

/**
 * How many were stored. One row that the store refuses must not hold up the others: the batch is halved until that row
 * is alone. A store that is away says `unavailable`, which is about no row.
 */
async function storeRows(sink: ClickSink, rows: readonly Row[], park: Park<ClickEvent>): Promise<number> {
  if (rows.length === 0) return 0;
  try {
    await sink.store(rows.map(({ click }) => click));
    return rows.length;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'unavailable') throw error;
    if (rows.length === 1) {
      park(rows[0]!.delivery, error instanceof Error ? error : new Error(String(error)));
      return 0;
    }
    const middle = rows.length >> 1;
    const stored = await storeRows(sink, rows.slice(0, middle), park);
    return stored + (await storeRows(sink, rows.slice(middle), park));
  }
}
