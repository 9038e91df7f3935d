import { TOPICS, type TopicName } from '@waypost/domain';
import { grantTopics } from './grants.ts';
import { type ConnectionOptions, connectKafka, isPassing } from './kafkajs.ts';

export interface TopicSettings {
  readonly partitions: number;
  readonly replicas: number;
  readonly config: Readonly<Record<string, string>>;
}

const DAY_MS = 86_400_000;
const PARTITIONS: Record<TopicName, number> = { links: 6, verdicts: 6, clicks: 12 };

/** `<topic>.parked` takes what a consumer of the topic can never understand. */
export function parkedTopic(topic: string): string {
  return `${topic}.parked`;
}

/** Every topic, for one broker or for three and more: there each message is on three, and acknowledged by two. */
export function topicSettings(brokers: 1 | 3): Record<string, TopicSettings> {
  const replicas = brokers;
  const common = { 'min.insync.replicas': brokers === 1 ? '1' : '2' };
  const kept = (days: number, more: Record<string, string> = {}) => ({
    ...common,
    'cleanup.policy': 'delete',
    'retention.ms': String(days * DAY_MS),
    ...more,
  });
  const config: Record<TopicName, Record<string, string>> = {
    // The newest event of each slug stays as long as any: a new consumer can learn all links of the time from it.
    links: kept(30, { 'cleanup.policy': 'compact,delete' }),
    verdicts: kept(7),
    // A week for ClickHouse to come back.
    clicks: kept(7),
  };
  const settings: Record<string, TopicSettings> = {};
  for (const topic of Object.values(TOPICS)) {
    settings[topic] = { partitions: PARTITIONS[topic], replicas, config: config[topic] };
    // A person looks at them, in order.
    settings[parkedTopic(topic)] = { partitions: 1, replicas, config: kept(90) };
  }
  return settings;
}

export interface PrepareTopicsOptions extends ConnectionOptions {
  /** `topicSettings(1)` by default. */
  readonly topics?: Readonly<Record<string, TopicSettings>>;
  /** Tells the cluster what the services' users may do: it must have an authorizer. */
  readonly grants?: boolean;
  /** A cluster that is starting is asked again for so long. */
  readonly withinMs?: number;
}

export interface PreparedTopics {
  readonly created: readonly string[];
  /** What is there and was left as it is: more partitions would move keys, and settings are the operator's. */
  readonly existing: readonly string[];
  /** Differences of existing topics from what is wanted, in words. */
  readonly warnings: readonly string[];
}

/** Creates the missing topics; nothing else creates any (docs/kafkajs-pitfalls.md, 17). May run again at any time. */
export async function prepareTopics(options: PrepareTopicsOptions): Promise<PreparedTopics> {
  const deadline = performance.now() + (options.withinMs ?? 30_000);
  for (;;) {
    try {
      return await prepare(options);
    } catch (error) {
      if (!isPassing(error) || performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

async function prepare({
  topics = topicSettings(1),
  prefix = '',
  grants = false,
  ...connection
}: PrepareTopicsOptions) {
  const admin = connectKafka(connection, { requestTimeoutMs: 10_000, retries: 2 }).admin();
  try {
    await admin.connect();
    const there = new Set(await admin.listTopics());
    const wanted = Object.entries(topics).map(([name, settings]) => ({ topic: `${prefix}${name}`, ...settings }));
    const missing = wanted.filter(({ topic }) => !there.has(topic));
    if (missing.length > 0) {
      // Resolves to false if another process was faster, which is as good.
      await admin.createTopics({
        waitForLeaders: true,
        timeout: 10_000,
        topics: missing.map(({ topic, partitions, replicas, config }) => ({
          topic,
          numPartitions: partitions,
          replicationFactor: replicas,
          configEntries: Object.entries(config).map(([name, value]) => ({ name, value })),
        })),
      });
    }
    if (grants) await grantTopics(admin, prefix);
    const existing = wanted.filter(({ topic }) => there.has(topic));
    const warnings: string[] = [];
    if (existing.length > 0) {
      const found = await admin.fetchTopicMetadata({ topics: existing.map(({ topic }) => topic) });
      for (const { topic, partitions, replicas } of existing) {
        const now = found.topics.find(({ name }) => name === topic)?.partitions ?? [];
        if (now.length !== partitions) warnings.push(`${topic} has ${now.length} partitions, not ${partitions}`);
        const copies = Math.min(...now.map((partition) => partition.replicas.length));
        if (now.length > 0 && copies < replicas) warnings.push(`${topic} is on ${copies} brokers, not ${replicas}`);
      }
    }
    return { created: missing.map(({ topic }) => topic), existing: existing.map(({ topic }) => topic), warnings };
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}
