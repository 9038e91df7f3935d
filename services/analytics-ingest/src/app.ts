import { CLICKS } from '@waypost/domain';
import type { Bus, ClickSink, Subscription } from '@waypost/ports';
import type { Logger } from '@waypost/telemetry';
import { inBatches } from '@waypost/typed-bus';
import { type BatchOutcome, storeClicks } from './consumers/store-clicks.ts';

export interface AnalyticsIngestDeps {
  readonly bus: Pick<Bus, 'subscribe'>;
  readonly sink: ClickSink;
  readonly logger: Pick<Logger, 'info' | 'debug'>;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

export interface AnalyticsIngestStatus {
  readonly running: boolean;
  /** Counts since the start of the process; a redelivered click counts again. */
  readonly stored: number;
  readonly parked: number;
  /** Unix milliseconds. */
  readonly lastStoredAt: number | undefined;
}

export interface AnalyticsIngest {
  start(): Promise<void>;
  /** Resolves once the current batch is handled; no other begins. */
  stop(): Promise<void>;
  status(): AnalyticsIngestStatus;
}

const GROUP = 'analytics-ingest';

export function createAnalyticsIngest({ bus, sink, logger, now = Date.now }: AnalyticsIngestDeps): AnalyticsIngest {
  let subscribing: Promise<Subscription> | undefined;
  let subscription: Subscription | undefined;
  let storedClicks = 0;
  let lastStoredAt: number | undefined;

  function onBatch(outcome: BatchOutcome): void {
    storedClicks += outcome.stored;
    if (outcome.stored > 0) lastStoredAt = now();
    logger.debug('clicks stored', outcome);
  }

  return {
    async start() {
      subscribing ??= bus.subscribe(
        CLICKS,
        GROUP,
        inBatches('store click', CLICKS, storeClicks({ sink, now, onBatch })),
      );
      subscription = await subscribing;
      logger.info('analytics-ingest started');
    },
    async stop() {
      const current = subscribing;
      subscribing = undefined;
      await (await current)?.stop();
    },
    status: () => ({
      running: subscribing !== undefined,
      stored: storedClicks,
      parked: subscription?.parked() ?? 0,
      lastStoredAt,
    }),
  };
}
