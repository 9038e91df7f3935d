import { setImmediate as nextTurn } from 'node:timers/promises';
import { CLICK_RETENTION_DAYS, type ClickEvent, DomainError, type EnrichedClick } from '@waypost/domain';
import type { BusHandler, ClickSink, Delivery, Park } from '@waypost/ports';
import { enricher } from '../enrich.ts';

export interface StoreClicksDeps {
  readonly sink: ClickSink;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly onBatch: (outcome: BatchOutcome) => void;
}

export interface BatchOutcome {
  readonly stored: number;
  readonly tookMs: number;
}

/** In the one process, visitors come first: yield to the event loop after this many clicks (1 to 3 ms). */
const YIELD_EVERY = 256;

const DAY_MS = 86_400_000;
/** A clock further ahead than this is wrong. Up to a day ahead, a click counts on the day of its own time. */
const MAX_AHEAD_MS = DAY_MS;

/**
 * Topic `clicks`: enriches and stores. Resolves when every click of the batch is durable or dead-lettered. Throws while
 * the store or the bus is down; the bus then redelivers the batch, which changes no figure.
 */
export function storeClicks(deps: StoreClicksDeps): BusHandler<ClickEvent> {
  const enrich = enricher();
  return async (deliveries, park) => {
    const startedAt = performance.now();
    const rows: Row[] = [];
    const now = deps.now();
    for (const [index, delivery] of deliveries.entries()) {
      if (index > 0 && index % YIELD_EVERY === 0) await nextTurn();
      const problem = timeProblem(delivery.event, now);
      if (problem === undefined) rows.push({ delivery, click: enrich(delivery.event) });
      else park(delivery, new Error(problem));
    }
    const count = await storeRows(deps.sink, rows, park);
    deps.onBatch({ stored: count, tookMs: Math.round(performance.now() - startedAt) });
  };
}

interface Row {
  readonly delivery: Delivery<ClickEvent>;
  readonly click: EnrichedClick;
}

/** A click outside the retention would count on a wrong day, or be deleted by the retention. */
function timeProblem({ at }: ClickEvent, now: number): string | undefined {
  if (at < now - CLICK_RETENTION_DAYS * DAY_MS) return `older than the retention of ${CLICK_RETENTION_DAYS} days`;
  if (at > now + MAX_AHEAD_MS) return 'more than a day in the future';
  return undefined;
}

/**
 * Resolves to the number of stored rows. A row that the store refuses must not block the others, so the batch is halved
 * until that row is alone. `unavailable` means that the store is down, so no row is to blame.
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
    const firstHalf = await storeRows(sink, rows.slice(0, middle), park);
    return firstHalf + (await storeRows(sink, rows.slice(middle), park));
  }
}
