import type { TopicName } from '@waypost/domain';
import type { Bus, Subscription } from '@waypost/ports';
import type { DependencyState, Logger } from '@waypost/telemetry';
import { type MessageBus, typedBus } from '@waypost/typed-bus';
import { adminConnection } from './admin-connection.ts';
import { batchHandling } from './batch-handling.ts';
import { type ConnectionOptions, connectKafka } from './kafkajs.ts';
import { parkedMessage } from './parked-message.ts';
import { kafkaPublisher } from './publisher.ts';
import { startSubscription } from './subscription.ts';
import { parkedTopic } from './topics.ts';

export interface KafkaBusOptions extends ConnectionOptions {
  readonly logger: Logger;
  /**
   * The process can do nothing about it and must end, so that its supervisor starts a fresh one (exit 1): a consumer
   * crashed for no passing reason, a handler is stuck, or messages wait and nothing moves.
   */
  readonly onFatal: (error: Error) => void;
  /** For tests: the defaults are right for everything else. */
  readonly tuning?: Partial<KafkaTuning>;
}

export interface KafkaTuning {
  /** A frozen broker holds a `publish` for twice this at most. */
  readonly requestTimeoutMs: number;
  /** A consumer that was killed holds its partitions for so long. */
  readonly sessionTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  /** Members have so long to end a batch when another joins. */
  readonly rebalanceTimeoutMs: number;
  readonly handlerTimeoutMs: number;
  readonly stallMs: number;
  readonly stopWithinMs: number;
  readonly backoffMs: { readonly first: number; readonly most: number };
  readonly fetch: Record<TopicName, Fetch>;
}

/** Large batches where rows are inserted, quick ones where an event is acted upon (docs/kafkajs-pitfalls.md, 15). */
interface Fetch {
  readonly minBytes: number;
  readonly maxWaitMs: number;
  readonly maxBytesPerPartition: number;
}

const QUICK: Fetch = { minBytes: 1, maxWaitMs: 500, maxBytesPerPartition: 1 << 20 };
const LARGE: Fetch = { minBytes: 1 << 18, maxWaitMs: 1_000, maxBytesPerPartition: 4 << 20 };

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
  /** Whether a broker answers. Never rejects. */
  health(): Promise<DependencyState>;
  /** Ends every subscription, then the producer. */
  stop(): Promise<void>;
}

/**
 * The bus on Kafka. Each pair of group and topic is a consumer group of its own (kafkajs hands the partitions of every
 * topic of a group to each member, whatever that one subscribed to). `subscribe` resolves at once and consumes as soon
 * as it can: services start in any order.
 */
export function kafkaBus(options: KafkaBusOptions): KafkaBus {
  const { logger, onFatal, prefix = '' } = options;
  const tuning = { ...TUNING, ...options.tuning };
  const sending = connectKafka(options, { requestTimeoutMs: tuning.requestTimeoutMs, retries: 1 });
  const consuming = connectKafka(options, { requestTimeoutMs: 2 * tuning.requestTimeoutMs, retries: 3 });
  const publisher = kafkaPublisher(sending);
  const subscriptions = new Set<Pick<Subscription, 'stop'>>();

  const admin = adminConnection(sending);

  let asking: Promise<DependencyState> | undefined;
  async function ask(): Promise<DependencyState> {
    try {
      const { brokers } = await admin.ask((connected) => connected.describeCluster());
      return brokers.length > 0 ? { ok: true, brokers: brokers.length } : { ok: false, detail: 'no broker is alive' };
    } catch (error) {
      return { ok: false, detail: error instanceof Error ? error.message : String(error) };
    } finally {
      asking = undefined;
    }
  }

  const carrier: MessageBus = {
    publish: (topic, messages) => publisher.publish(`${prefix}${topic}`, messages),

    async subscribe(topic, group, handler) {
      const { minBytes, maxWaitMs, maxBytesPerPartition } = tuning.fetch[topic];
      const name = `${prefix}${topic}`;
      const subscription = startSubscription({
        kafka: consuming,
        admin,
        topic: name,
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
          // Ours is to restart (subscription.ts): kafkajs' own restart has no jitter and no end.
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
        async stop() {
          await subscription.stop();
          subscriptions.delete(subscription);
        },
      };
    },
  };

  return {
    ...typedBus(carrier, logger),
    health: () => (asking ??= ask()),

    async stop() {
      await Promise.all([...subscriptions].map((subscription) => subscription.stop()));
      subscriptions.clear();
      await publisher.stop();
      await admin.stop();
    },
  };
}
