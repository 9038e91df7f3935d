import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  CLICK_RETENTION_DAYS,
  type Click,
  DomainError,
  type EnrichedClick,
  parseClickEvent,
  UnreadableMessage,
} from '@waypost/domain';
import type { BusHandler, BusMessage, ClickSink } from '@waypost/ports';
import { recordSpans, traceIdOf } from '@waypost/service-kit';
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
  readonly parked: number;
  /** Why the first of the parked ones was. */
  readonly firstProblem: Error | undefined;
  /** The trace ids of the first parked ones. */
  readonly parkedTraces: readonly (string | undefined)[];
  readonly tookMs: number;
}

/** In one process with the redirector, visitors come first: no longer stretch than this many clicks (1 to 3 ms). */
const YIELD_EVERY = 256;

const TRACES_NAMED = 10;

const DAY_MS = 86_400_000;
/** A clock that is this far ahead is wrong. A day ahead is still counted, on the day it says. */
const MAX_AHEAD_MS = DAY_MS;

/**
 * Topic `clicks`: enriches and stores. Returns when every click of the batch is durable or parked; throws when the store
 * or the bus is away, and the bus then brings the batch again, which changes no figure.
 */
export function storeClicks(deps: StoreClicksDeps): BusHandler {
  return async (messages, park) => {
    const startedAt = performance.now();
    const receivedAt = deps.now();
    const rejected: Rejected[] = [];
    const rows: Row[] = [];
    for (const [index, message] of messages.entries()) {
      if (index > 0 && index % YIELD_EVERY === 0) await nextTurn();
      try {
        rows.push({ message, click: enrich(readClick(message, deps.now())) });
      } catch (error) {
        if (!(error instanceof UnreadableMessage)) throw error;
        rejected.push({ message, error });
      }
    }
    await storeRows(deps.sink, rows, rejected);
    const kept = rows.map(({ message }) => message);
    recordSpans('store click', kept, () => receivedAt, deps.now());
    await Promise.all(rejected.map(({ message, error }) => park(message, error)));
    deps.onBatch({
      stored: messages.length - rejected.length,
      parked: rejected.length,
      firstProblem: rejected[0]?.error,
      parkedTraces: rejected.slice(0, TRACES_NAMED).map(({ message }) => traceIdOf(message.headers?.traceparent)),
      tookMs: Math.round(performance.now() - startedAt),
    });
  };
}

interface Row {
  readonly message: BusMessage;
  readonly click: EnrichedClick;
}

interface Rejected {
  readonly message: BusMessage;
  readonly error: Error;
}

/** A click outside what is kept is parked: it could only be counted on a wrong day, or thrown away by the retention. */
function readClick(message: BusMessage, now: number): Click {
  const click = parseClickEvent(message.value);
  if (click.at < now - CLICK_RETENTION_DAYS * DAY_MS) {
    throw new UnreadableMessage(`older than the ${CLICK_RETENTION_DAYS} days that clicks are kept`);
  }
  if (click.at > now + MAX_AHEAD_MS) throw new UnreadableMessage('more than a day in the future');
  return click;
}

/**
 * One row that the store refuses must not hold up the others: the batch is halved until that row is alone. A store that
 * is away says `unavailable`, which is about no row.
 */
async function storeRows(sink: ClickSink, rows: readonly Row[], rejected: Rejected[]): Promise<void> {
  if (rows.length === 0) return;
  try {
    await sink.store(rows.map(({ click }) => click));
  } catch (error) {
    if (error instanceof DomainError && error.code === 'unavailable') throw error;
    if (rows.length === 1) {
      rejected.push({ message: rows[0]!.message, error: error instanceof Error ? error : new Error(String(error)) });
      return;
    }
    const middle = rows.length >> 1;
    await storeRows(sink, rows.slice(0, middle), rejected);
    await storeRows(sink, rows.slice(middle), rejected);
  }
}
