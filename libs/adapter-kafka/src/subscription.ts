/**
 * Consumes one topic for one group while the process runs. After a temporary failure, a new kafkajs consumer replaces
 * the crashed one. Any other crash ends the process (docs/kafkajs-pitfalls.md, 8).
 */
import { once } from 'node:events';
import { backOffMs, isNoteworthy, rest } from '@waypost/resilience';
import { errorFields, type Logger } from '@waypost/telemetry';
import type { CarrierSubscription } from '@waypost/typed-bus';
import type { Admin, Consumer, ConsumerConfig, EachBatchPayload, Kafka } from 'kafkajs';
import type { AdminConnection } from './admin-connection.ts';
import { isPassing, settlesWithin } from './kafkajs.ts';
import { startWatchdog, type Watchdog } from './watchdog.ts';

export interface SubscriptionOptions {
  readonly kafka: Kafka;
  readonly admin: Pick<AdminConnection, 'ask'>;
  readonly topic: string;
  /**
   * Skips messages that were published earlier than this, by the producers' clocks. A group that has read further
   * continues there.
   */
  readonly since: Date | undefined;
  readonly groupId: string;
  readonly partitionsAtOnce: number;
  readonly settings: Omit<ConsumerConfig, 'groupId'>;
  /** Returns the batch handler, which must call `onProgress` while it works. */
  readonly eachBatch: (hooks: {
    stopping: AbortSignal;
    onProgress: () => void;
    onNotCommitted: (error: unknown) => void;
  }) => (payload: EachBatchPayload) => Promise<void>;
  readonly stallMs: number;
  readonly stopWithinMs: number;
  readonly onFatal: (error: Error) => void;
  readonly logger: Logger;
}

const CLOCKS_DIFFER_MS = 60_000;
const BACKOFF_MS = { first: 250, most: 5_000 };

export function startSubscription(options: SubscriptionOptions): CarrierSubscription {
  const subscription = new KafkaSubscription(options);
  return { lag: async () => Number(await subscription.lag()), stop: () => subscription.stop() };
}

class KafkaSubscription {
  readonly #options: SubscriptionOptions;
  readonly #stopping = new AbortController();
  readonly #stopped: Promise<unknown>;
  readonly #watchdog: Watchdog;
  readonly #eachBatch: (payload: EachBatchPayload) => Promise<void>;
  readonly #ended: Promise<void>;
  #failures = 0;
  #assigned: readonly number[] = [];
  /** The first offset to read in each partition. The group has not committed the offsets before it. */
  readonly #skipped = new Map<number, bigint>();
  /** Ends the running consumer, so that another one replaces it. */
  #giveUp: (error: unknown) => void = () => undefined;

  constructor(options: SubscriptionOptions) {
    const { topic, groupId, stallMs, onFatal } = options;
    const { signal } = this.#stopping;
    this.#options = options;
    this.#stopped = once(signal, 'abort');
    this.#watchdog = startWatchdog({
      lag: () => this.lag(),
      stallMs,
      onStall: (forMs) =>
        onFatal(new Error(`${groupId} has handled no message of ${topic} for ${Math.round(forMs)} ms`)),
    });
    this.#eachBatch = options.eachBatch({
      stopping: signal,
      onProgress: this.#watchdog.progress,
      onNotCommitted: (error) => this.#giveUp(error),
    });
    this.#ended = this.#run();
  }

  async lag(): Promise<bigint> {
    const { admin, groupId, topic } = this.#options;
    if (this.#assigned.length === 0) return 0n;
    return admin.ask((client) => lagOf(client, groupId, topic, this.#assigned, this.#skipped));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#watchdog.stop();
    await settlesWithin(this.#ended, this.#options.stopWithinMs + 1_000);
  }

  async #run(): Promise<void> {
    const { topic, groupId, logger, onFatal } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#consume();
      } catch (error) {
        if (signal.aborted) return;
        if (!isPassing(error)) return onFatal(new Error(`the consumer of ${topic} crashed`, { cause: error }));
        this.#failures += 1;
        if (isNoteworthy(this.#failures)) {
          const facts = { topic, groupId, failures: this.#failures, ...errorFields(error) };
          logger.warn('a topic cannot be consumed, will retry', facts);
        }
        await rest(backOffMs(BACKOFF_MS, this.#failures), signal);
      }
    }
  }

  async #consume(): Promise<void> {
    const { kafka, settings, groupId, topic, since, partitionsAtOnce } = this.#options;
    const consumer = kafka.consumer({ ...settings, groupId });
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      this.#failures = 0;
      this.#assigned = payload.memberAssignment[topic] ?? [];
      if (since !== undefined) this.#skipTo(consumer, since).catch((error) => this.#notSkipped(error));
    });
    const crashed = new Promise<never>((_, reject) => {
      consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
      this.#giveUp = reject;
    });
    crashed.catch(() => undefined);
    try {
      await consumer.connect();
      await consumer.subscribe({ topics: [topic], fromBeginning: true });
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: partitionsAtOnce,
        eachBatch: this.#eachBatch,
      });
      await Promise.race([crashed, this.#stopped]);
    } finally {
      this.#assigned = [];
      await this.#end(consumer);
    }
  }

  /** Until the seek, the consumer may receive old messages. They do no harm. */
  async #skipTo(consumer: Consumer, since: Date): Promise<void> {
    const { admin, groupId, topic } = this.#options;
    const [starts, committed] = await admin.ask((client) =>
      Promise.all([
        client.fetchTopicOffsetsByTimestamp(topic, since.getTime() - CLOCKS_DIFFER_MS),
        committedOf(client, groupId, topic),
      ]),
    );
    for (const { partition, offset } of starts) {
      if (!this.#assigned.includes(partition) || (committed.get(partition) ?? -1n) >= BigInt(offset)) continue;
      consumer.seek({ topic, partition, offset });
      this.#skipped.set(partition, BigInt(offset));
    }
  }

  #notSkipped(error: unknown): void {
    const { topic, groupId, logger } = this.#options;
    logger.debug('old messages could not be skipped', { topic, groupId, ...errorFields(error) });
  }

  /**
   * Waits for the running handler and leaves the group. With a frozen broker, or when a handler calls it, kafkajs would
   * never finish, so the wait is limited.
   */
  async #end(consumer: Consumer): Promise<void> {
    const { topic, groupId, logger, stopWithinMs } = this.#options;
    if (await settlesWithin(consumer.disconnect(), stopWithinMs)) return;
    logger.warn('a consumer did not stop in time', { topic, groupId });
  }
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

/** Returns the committed offset of each partition. Without a commit, a partition is missing or has -1. */
async function committedOf(admin: Admin, groupId: string, topic: string): Promise<ReadonlyMap<number, bigint>> {
  const groups = await admin.fetchOffsets({ groupId, topics: [topic] });
  return new Map(groups[0]?.partitions.map(({ partition, offset }) => [partition, BigInt(offset)]));
}
