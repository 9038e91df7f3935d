import { TOPICS, type TopicName } from '@waypost/domain';
import { grantTopics } from './grants.ts';
import { ConfigResourceTypes, type ConnectionOptions, connectKafka, isPassing } from './kafkajs.ts';

export interface TopicSettings {
  readonly partitions: number;
  readonly replicas: number;
  readonly config: Readonly<Record<string, string>>;
}

const MIN_IN_SYNC = 'min.insync.replicas';
const DAY_MS = 86_400_000;
/** A cluster that does not answer may still be starting, so we retry for this long. */
const STARTS_WITHIN_MS = 30_000;
const PARTITIONS: Record<TopicName, number> = { links: 6, verdicts: 6, clicks: 12 };

/** A message that a consumer can never handle goes to the topic `<topic>.parked`. */
export function parkedTopic(topic: string): string {
  return `${topic}.parked`;
}

/**
 * Returns the settings of every topic, for one broker or for at least three. With three, each message has three
 * replicas, and two of them must acknowledge it.
 */
export function topicSettings(brokers: 1 | 3): Record<string, TopicSettings> {
  const replicas = brokers;
  const common = { [MIN_IN_SYNC]: brokers === 1 ? '1' : '2' };
  const retainedFor = (days: number, overrides: Record<string, string> = {}) => ({
    ...common,
    'cleanup.policy': 'delete',
    'retention.ms': String(days * DAY_MS),
    ...overrides,
  });
  const config: Record<TopicName, Record<string, string>> = {
    // Compaction keeps the newest event of each slug, so a new consumer gets every link that changed within the
    // retention.
    links: retainedFor(30, { 'cleanup.policy': 'compact,delete' }),
    verdicts: retainedFor(7),
    // ClickHouse may be down for a week without a loss of clicks.
    clicks: retainedFor(7),
  };
  const settings: Record<string, TopicSettings> = {};
  for (const topic of Object.values(TOPICS)) {
    settings[topic] = { partitions: PARTITIONS[topic], replicas, config: config[topic] };
    // A single partition keeps the messages in order for the operator who reads them. A click has what its visitor's
    // browser sent, so it is kept no longer there than in its topic (docs/privacy.md).
    settings[parkedTopic(topic)] = { partitions: 1, replicas, config: retainedFor(topic === TOPICS.clicks ? 7 : 90) };
  }
  return settings;
}

export interface PrepareTopicsOptions extends ConnectionOptions {
  /** The default is `topicSettings`, for the number of brokers. */
  readonly topics?: Readonly<Record<string, TopicSettings>>;
  /** True to grant the services' users their rights. The cluster must then have an authorizer. */
  readonly grants?: boolean;
}

export interface PreparedTopics {
  readonly created: readonly string[];
  /**
   * These topics were not changed. More partitions would move keys, and the operator is responsible for the settings.
   */
  readonly existing: readonly string[];
  /** Each text tells the operator how an existing topic differs from our settings. */
  readonly warnings: readonly string[];
}

/**
 * Creates the missing topics. Nothing else creates topics (docs/kafkajs-pitfalls.md, 17). You can run it again at any
 * time.
 */
export async function prepareTopics(options: PrepareTopicsOptions): Promise<PreparedTopics> {
  const deadline = performance.now() + STARTS_WITHIN_MS;
  for (;;) {
    try {
      return await prepare(options);
    } catch (error) {
      if (!isPassing(error) || performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

async function prepare({ prefix = '', grants = false, ...connection }: PrepareTopicsOptions) {
  const admin = connectKafka(connection, { requestTimeoutMs: 10_000, retries: 2 }).admin();
  try {
    await admin.connect();
    const { brokers } = await admin.describeCluster();
    // One address may stand for a cluster, and a broker of a cluster may be down.
    const isCluster = Math.max(brokers.length, connection.brokers.length) > 1;
    const { topics = topicSettings(isCluster ? 3 : 1) } = connection;
    const topicNames = new Set(await admin.listTopics());
    const declared = Object.entries(topics).map(([name, settings]) => ({ topic: `${prefix}${name}`, ...settings }));
    const missing = declared.filter(({ topic }) => !topicNames.has(topic));
    if (missing.length > 0) {
      // This resolves to false if another process created the topics first, which is no error.
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
    const existing = declared.filter(({ topic }) => topicNames.has(topic));
    const warnings: string[] = [];
    if (existing.length > 0) {
      const metadata = await admin.fetchTopicMetadata({ topics: existing.map(({ topic }) => topic) });
      for (const { topic, partitions, replicas } of existing) {
        const now = metadata.topics.find(({ name }) => name === topic)?.partitions ?? [];
        if (now.length !== partitions) warnings.push(`${topic} has ${now.length} partitions, not ${partitions}`);
        const copies = Math.min(...now.map((partition) => partition.replicas.length));
        if (now.length > 0 && copies < replicas) warnings.push(`${topic} is on ${copies} brokers, not ${replicas}`);
      }
      const configs = await admin.describeConfigs({
        includeSynonyms: false,
        resources: existing.map(({ topic }) => ({ type: ConfigResourceTypes.TOPIC, name: topic })),
      });
      for (const { resourceName, configEntries } of configs.resources) {
        const { configValue: now } = configEntries.find(({ configName }) => configName === MIN_IN_SYNC) ?? {};
        const min = existing.find(({ topic }) => topic === resourceName)?.config[MIN_IN_SYNC];
        if (Number(now) < Number(min)) warnings.push(`${resourceName} has ${MIN_IN_SYNC}=${now}, not ${min}`);
      }
    }
    return { created: missing.map(({ topic }) => topic), existing: existing.map(({ topic }) => topic), warnings };
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}
