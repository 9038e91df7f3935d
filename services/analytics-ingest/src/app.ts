import { TOPICS } from '@waypost/domain';
import type { Bus, ClickSink, Subscription } from '@waypost/ports';
import { errorFields, type Logger } from '@waypost/service-kit';
import { type BatchOutcome, storeClicks } from './consumers/store-clicks.ts';

export interface AnalyticsIngestDeps {
  readonly bus: Pick<Bus, 'subscribe'>;
  readonly sink: ClickSink;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'debug'>;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

export interface AnalyticsIngestStatus {
  readonly running: boolean;
  /** Since the start of the process; a redelivered click counts again here. */
  readonly stored: number;
  readonly parked: number;
  /** Unix milliseconds. */
  readonly lastStoredAt: number | undefined;
}

export interface AnalyticsIngest {
  start(): Promise<void>;
  /** Resolves when the batch at hand is dealt with and no other begins. */
  stop(): Promise<void>;
  status(): AnalyticsIngestStatus;
}

/** The consumer group: each click is dealt with by one of its members. */
const GROUP = 'analytics-ingest';

export function createAnalyticsIngest({ bus, sink, logger, now = Date.now }: AnalyticsIngestDeps): AnalyticsIngest {
  let subscription: Promise<Subscription> | undefined;
  let stored = 0;
  let parked = 0;
  let lastStoredAt: number | undefined;

  function onBatch(outcome: BatchOutcome): void {
    stored += outcome.stored;
    parked += outcome.parked;
    if (outcome.stored > 0) lastStoredAt = now();
    const { firstProblem, parkedTraces, ...facts } = outcome;
    logger.debug('clicks stored', facts);
    if (firstProblem !== undefined) {
      logger.warn('clicks parked', { ...facts, trace_ids: parkedTraces, ...errorFields(firstProblem) });
    }
  }

  return {
    async start() {
      subscription ??= bus.subscribe(TOPICS.clicks, GROUP, storeClicks({ sink, now, onBatch }));
      await subscription;
      logger.info('analytics-ingest started');
    },
    async stop() {
      const current = subscription;
      subscription = undefined;
      await (await current)?.stop();
    },
    status: () => ({ running: subscription !== undefined, stored, parked, lastStoredAt }),
  };
}
