/**
 * Consumes one topic for one group, for the whole life of the process. After a transient crash a new kafkajs consumer
 * replaces the old one, with back-off; any other crash ends the process (docs/kafkajs-pitfalls.md, 8).
 */
import { backOffMs, isNoteworthy, rest } from '@waypost/resilience';
import { errorFields, type Logger } from '@waypost/telemetry';
import type { CarrierSubscription } from '@waypost/typed-bus';
import type { Admin, Consumer, ConsumerConfig, EachBatchPayload, Kafka } from 'kafkajs';
import type { AdminConnection } from './admin-connection.ts';
import { isPassing, settlesWithin } from './kafkajs.ts';
import { startWatchdog } from './watchdog.ts';

export interface SubscriptionOptions {
  readonly kafka: Kafka;
  /** To read the lag, and where to begin. */
  readonly admin: Pick<AdminConnection, 'ask'>;
  readonly topic: string;
  /** What was published before, by the clocks of the producers, is skipped where the group has not read it yet. */
  readonly since: Date | undefined;
  readonly groupId: string;
  readonly partitionsAtOnce: number;
  readonly settings: Omit<ConsumerConfig, 'groupId'>;
  /** Makes the batch handler, which calls `onProgress` while it works. */
  readonly eachBatch: (hooks: {
    stopping: AbortSignal;
    onProgress: () => void;
  }) => (payload: EachBatchPayload) => Promise<void>;
  readonly stallMs: number;
  readonly stopWithinMs: number;
  readonly onFatal: (error: Error) => void;
  readonly logger: Logger;
}

const CLOCKS_DIFFER_MS = 60_000;
const BACKOFF_MS = { first: 250, most: 5_000 };

export function startSubscription(options: SubscriptionOptions): CarrierSubscription {
  const { kafka, topic, groupId, logger, onFatal } = options;
  const stopping = new AbortController();
  let failures = 0;
  let assigned: readonly number[] = [];
  /** By partition: what is before is not wanted, and the group never commits that it passed it. */
  const skipped = new Map<number, bigint>();

  const lag = async () =>
    assigned.length === 0 ? 0n : options.admin.ask((admin) => lagOf(admin, groupId, topic, assigned, skipped));
  const watchdog = startWatchdog({
    lag,
    stallMs: options.stallMs,
    onStall: (forMs) => onFatal(new Error(`${groupId} has handled nothing of ${topic} for ${Math.round(forMs)} ms`)),
  });
  const eachBatch = options.eachBatch({ stopping: stopping.signal, onProgress: watchdog.progress });

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await consume();
      } catch (error) {
        if (stopping.signal.aborted) return;
        if (!isPassing(error)) return onFatal(new Error(`the consumer of ${topic} crashed`, { cause: error }));
        failures += 1;
        if (isNoteworthy(failures)) {
          logger.warn('a topic cannot be consumed now', { topic, groupId, failures, ...errorFields(error) });
        }
        await rest(backOffMs(BACKOFF_MS, failures), stopping.signal);
      }
    }
  }

  /** Runs one consumer: rejects when it crashes, resolves when it is stopped. */
  async function consume(): Promise<void> {
    const consumer = kafka.consumer({ ...options.settings, groupId });
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      failures = 0;
      assigned = payload.memberAssignment[topic] ?? [];
      if (options.since !== undefined) skipTo(consumer, options.since).catch(notSkipped);
    });
    const crashed = new Promise<never>((_, reject) => {
      consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
    });
    crashed.catch(() => undefined);
    try {
      await consumer.connect();
      await consumer.subscribe({ topics: [topic], fromBeginning: true });
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: options.partitionsAtOnce,
        eachBatch,
      });
      await Promise.race([crashed, aborted]);
    } finally {
      assigned = [];
      await end(consumer);
    }
  }

  /** While it looks, the consumer may begin at the beginning: what it reads there is not needed, and does no harm. */
  async function skipTo(consumer: Consumer, since: Date): Promise<void> {
    const [starts, committed] = await options.admin.ask((admin) =>
      Promise.all([
        admin.fetchTopicOffsetsByTimestamp(topic, since.getTime() - CLOCKS_DIFFER_MS),
        committedOf(admin, groupId, topic),
      ]),
    );
    for (const { partition, offset } of starts) {
      if (!assigned.includes(partition) || (committed.get(partition) ?? -1n) >= BigInt(offset)) continue;
      consumer.seek({ topic, partition, offset });
      skipped.set(partition, BigInt(offset));
    }
  }

  function notSkipped(error: unknown): void {
    logger.debug('old messages are not skipped', { topic, groupId, ...errorFields(error) });
  }

  /**
   * Waits for the running handler and leaves the group. kafkajs hangs here when a handler calls it or when the broker
   * is frozen.
   */
  async function end(consumer: Consumer): Promise<void> {
    if (await settlesWithin(consumer.disconnect(), options.stopWithinMs)) return;
    logger.warn('a consumer did not end in time', { topic, groupId });
  }

  const aborted = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()));
  const ended = run();
  return {
    lag: async () => Number(await lag()),
    async stop() {
      stopping.abort();
      watchdog.stop();
      await settlesWithin(ended, options.stopWithinMs + 1_000);
    },
  };
}

async function lagOf(
  admin: Admin,
  groupId: string,
  topic: string,
  partitions: readonly number[],
  skipped: ReadonlyMap<number, bigint>,
): Promise<bigint> {
  const [ends, committed] = await Promise.all([admin.fetchTopicOffsets(topic), committedOf(admin, groupId, topic)]);
  return ends
    .filter(({ partition }) => partitions.includes(partition))
    .reduce((sum, { partition, high, low }) => {
      const passed = [BigInt(low), committed.get(partition) ?? 0n, skipped.get(partition) ?? 0n];
      return sum + BigInt(high) - passed.reduce((most, at) => (at > most ? at : most));
    }, 0n);
}

/** By partition; without one that the group never committed, or as -1. */
async function committedOf(admin: Admin, groupId: string, topic: string): Promise<ReadonlyMap<number, bigint>> {
  const groups = await admin.fetchOffsets({ groupId, topics: [topic] });
  return new Map(groups[0]?.partitions.map(({ partition, offset }) => [partition, BigInt(offset)]));
}
