import { CLICKS } from '@waypost/domain';
import type { Bus, ClickSink, Subscription } from '@waypost/ports';
import type { Logger } from '@waypost/telemetry';
import { inBatches } from '@waypost/typed-bus';
import { type BatchOutcome, storeClicks } from './consumers/store-clicks.ts';

interface Deps {
  readonly bus: Pick<Bus, 'subscribe'>;
  readonly sink: ClickSink;
  readonly logger: Pick<Logger, 'info' | 'debug'>;
}

export type AnalyticsIngest = ReturnType<typeof createAnalyticsIngest>;

const GROUP = 'analytics-ingest';

export function createAnalyticsIngest({ bus, sink, logger }: Deps) {
  let subscribing: Promise<Subscription> | undefined;
  /** Since the start of the process; a redelivered click counts again. */
  let storedClicks = 0;
  /** Unix milliseconds. */
  let lastStoredAt: number | undefined;

  function onBatch(outcome: BatchOutcome): void {
    storedClicks += outcome.stored;
    if (outcome.stored > 0) lastStoredAt = Date.now();
    logger.debug('clicks stored', outcome);
  }

  return {
    async start(): Promise<void> {
      subscribing ??= bus.subscribe(
        CLICKS,
        GROUP,
        inBatches('store click', CLICKS, storeClicks({ sink, now: Date.now, onBatch })),
      );
      await subscribing;
      logger.info('analytics-ingest started');
    },
    /** Resolves once the current batch is handled; no other begins. */
    async stop(): Promise<void> {
      const current = subscribing;
      subscribing = undefined;
      await (await current)?.stop();
    },
    status: () => ({ running: subscribing !== undefined, stored: storedClicks, lastStoredAt }),
  };
}
