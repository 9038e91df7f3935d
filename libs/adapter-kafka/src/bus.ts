import type { TopicName } from '@waypost/domain';
import type { Bus, Subscription } from '@waypost/ports';
import type { DependencyState, Logger } from '@waypost/telemetry';
import { type MessageBus, typedBus } from '@waypost/typed-bus';
import { type AdminConnection, adminConnection } from './admin-connection.ts';
import { batchHandling } from './batch-handling.ts';
import { type ConnectionOptions, connectKafka, METADATA_MAX_AGE_MS } from './kafkajs.ts';
import { parkedMessage } from './parked-message.ts';
import { kafkaPublisher } from './publisher.ts';
import { startSubscription } from './subscription.ts';
import { parkedTopic } from './topics.ts';

export interface KafkaBusOptions extends ConnectionOptions {
  readonly logger: Logger;
  /**
   * Called when the process cannot recover: a consumer crashed for a permanent reason, a handler is stuck, or messages
   * wait and none is handled. The process must exit with 1, so that its supervisor starts a new one.
   */
  readonly onFatal: (error: Error) => void;
  /** Only tests set this. */
  readonly tuning?: Partial<KafkaTuning>;
}

export interface KafkaTuning {
  /** If a broker is frozen, a `publish` takes at most twice this time. */
  readonly requestTimeoutMs: number;
  /** Kafka gives the partitions of a killed consumer to others after this time. */
  readonly sessionTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  /** When a consumer joins, the other consumers must finish their batches within this time. */
  readonly rebalanceTimeoutMs: number;
  readonly handlerTimeoutMs: number;
  readonly stallMs: number;
  readonly stopWithinMs: number;
  readonly backoffMs: { readonly first: number; readonly most: number };
  readonly fetch: Record<TopicName, Fetch>;
}

/**
 * Large batches are best for inserting rows. Small and early ones are best where each event causes an action
 * (docs/kafkajs-pitfalls.md, 15).
 */
interface Fetch {
  readonly minBytes: number;
  readonly maxWaitMs: number;
  readonly maxBytesPerPartition: number;
  readonly mostAtOnce: number;
  /** With two partitions at a time, one can be decoded while the store writes the other. */
  readonly partitionsAtOnce: number;
}

const QUICK: Fetch = {
  minBytes: 1,
  maxWaitMs: 500,
  maxBytesPerPartition: 1 << 20,
  mostAtOnce: 500,
  partitionsAtOnce: 1,
};
const LARGE: Fetch = {
  minBytes: 1 << 18,
  maxWaitMs: 1_000,
  maxBytesPerPartition: 4 << 20,
  mostAtOnce: 5_000,
  partitionsAtOnce: 2,
};

const TUNING: KafkaTuning = {
  requestTimeoutMs: 4_000,
  sessionTimeoutMs: 10_000,
  heartbeatIntervalMs: 2_000,
  rebalanceTimeoutMs: 30_000,
  handlerTimeoutMs: 120_000,
  stallMs: 60_000,
  stopWithinMs: 6_000,
  backoffMs: { first: 200, most: 10_000 },
  fetch: { links: QUICK, verdicts: QUICK, clicks: LARGE },
};

export interface KafkaBus extends Bus {
  /** Checks that a broker answers. Never rejects. */
  health(): Promise<DependencyState>;
  stop(): Promise<void>;
}

/**
 * Each pair of group and topic has its own consumer group in Kafka. In a group with several topics, kafkajs would give
 * a member partitions of topics that it does not read. `subscribe` resolves at once and starts when Kafka answers, so
 * services can start in any order.
 */
export function kafkaBus(options: KafkaBusOptions): KafkaBus {
  const { logger, onFatal, prefix = '' } = options;
  const tuning = { ...TUNING, ...options.tuning };
  const sending = connectKafka(options, { requestTimeoutMs: tuning.requestTimeoutMs, retries: 1 });
  const consuming = connectKafka(options, { requestTimeoutMs: 2 * tuning.requestTimeoutMs, retries: 3 });
  const publisher = kafkaPublisher(sending);
  const subscriptions = new Set<Pick<Subscription, 'stop'>>();

  const admin = adminConnection(sending);

  const carrier: MessageBus = {
    publish: (topic, messages) => publisher.publish(`${prefix}${topic}`, messages),

    async subscribe(topic, group, handler, { since } = {}) {
      const { minBytes, maxWaitMs, maxBytesPerPartition, mostAtOnce, partitionsAtOnce } = tuning.fetch[topic];
      const name = `${prefix}${topic}`;
      const subscription = startSubscription({
        kafka: consuming,
        admin,
        topic: name,
        since,
        partitionsAtOnce,
        groupId: `${prefix}${group}.${topic}`,
        settings: {
          sessionTimeout: tuning.sessionTimeoutMs,
          heartbeatInterval: tuning.heartbeatIntervalMs,
          rebalanceTimeout: tuning.rebalanceTimeoutMs,
          minBytes,
          maxWaitTimeInMs: maxWaitMs,
          maxBytesPerPartition,
          maxBytes: 4 * maxBytesPerPartition,
          allowAutoTopicCreation: false,
          metadataMaxAge: METADATA_MAX_AGE_MS,
          // subscription.ts restarts the consumer, because kafkajs restarts it without jitter and without a limit.
          retry: { retries: 3, initialRetryTime: 100, maxRetryTime: 1_000, restartOnFailure: async () => false },
        },
        eachBatch: (hooks) =>
          batchHandling({
            ...hooks,
            topic: name,
            group,
            handler,
            park: (message, error, from) =>
              publisher.publish(parkedTopic(name), [parkedMessage(message, group, error, from)]),
            mostAtOnce,
            heartbeatIntervalMs: tuning.heartbeatIntervalMs,
            backoffMs: tuning.backoffMs,
            handlerTimeoutMs: tuning.handlerTimeoutMs,
            onStuck: onFatal,
            logger,
          }),
        stallMs: tuning.stallMs,
        stopWithinMs: tuning.stopWithinMs,
        onFatal,
        logger,
      });
      subscriptions.add(subscription);
      return {
        lag: subscription.lag,
        async stop() {
          await subscription.stop();
          subscriptions.delete(subscription);
        },
      };
    },
  };

  return {
    ...typedBus(carrier, logger),
    health: brokerHealth(admin),

    async stop() {
      await Promise.all([...subscriptions].map((subscription) => subscription.stop()));
      subscriptions.clear();
      await publisher.stop();
      await admin.stop();
    },
  };
}

function brokerHealth(admin: Pick<AdminConnection, 'ask'>): () => Promise<DependencyState> {
  let pending: Promise<DependencyState> | undefined;
  const ask = async (): Promise<DependencyState> => {
    try {
      const { brokers } = await admin.ask((connected) => connected.describeCluster());
      return brokers.length > 0
        ? { ok: true, brokers: brokers.length }
        : { ok: false, detail: 'no broker is reachable' };
    } catch (error) {
      return { ok: false, detail: error instanceof Error ? error.message : String(error) };
    } finally {
      pending = undefined;
    }
  };
  return () => (pending ??= ask());
}
