import { afterAll, beforeAll } from '@jest/globals';
import { type Engine, startKafka } from '@waypost/engines';
import { SILENT, until as soon } from '@waypost/test-support';
import { newFolder } from '@waypost/test-support/afterwards';
import type { Admin } from 'kafkajs';
import {
  type KafkaBus,
  type KafkaBusOptions,
  type KafkaConnection,
  kafkaBus,
  type PrepareTopicsOptions,
  prepareTopics,
} from '../src/index.ts';
import { connectKafka, isPassing } from '../src/kafkajs.ts';

const QUICK = {
  requestTimeoutMs: 1_500,
  sessionTimeoutMs: 3_000,
  heartbeatIntervalMs: 500,
  rebalanceTimeoutMs: 6_000,
  backoffMs: { first: 50, most: 500 },
} as const;

export interface KafkaUnderTest {
  readonly engine: Engine;
  readonly brokers: readonly string[];
  /** The errors after which a process would have to exit. */
  readonly fatal: Error[];
  bus(options?: Partial<KafkaBusOptions>): KafkaBus;
}

export function kafkaUnderTest(settings: Readonly<Record<string, string | number>> = {}): () => KafkaUnderTest {
  let engine: Engine;
  const buses: KafkaBus[] = [];
  const fatal: Error[] = [];
  beforeAll(async () => {
    engine = await startKafka({ dir: newFolder(), settings });
    await preparedTopics({ brokers: [`127.0.0.1:${engine.port}`], clientId: 'test' });
  }, 300_000);
  afterAll(async () => {
    engine?.resume();
    await Promise.all(buses.map((bus) => bus.stop()));
    await engine?.stop();
  }, 60_000);
  return () => {
    const brokers = [`127.0.0.1:${engine.port}`];
    return {
      engine,
      brokers,
      fatal,
      bus(options = {}) {
        const tuning = { ...QUICK, ...options.tuning };
        const onFatal = (error: Error) => fatal.push(error);
        const bus = kafkaBus({ brokers, clientId: 'test', logger: SILENT, onFatal, ...options, tuning });
        buses.push(bus);
        return bus;
      },
    };
  };
}

/**
 * Creates the missing topics and waits until all accept writes. A busy broker says too early that it leads a new
 * partition.
 */
export async function preparedTopics(options: PrepareTopicsOptions): Promise<void> {
  const { created, existing } = await prepareTopics(options);
  await withAdmin(options, async (admin) => {
    // Only the leader answers this request, and the client does not retry it.
    for (const topic of [...created, ...existing])
      await until(() =>
        admin.fetchTopicOffsets(topic).then(
          () => true,
          () => false,
        ),
      );
  });
}

export interface StoredMessage {
  readonly partition: number;
  readonly offset: string;
  readonly key: string;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
}

type Where = readonly string[] | Pick<KafkaConnection, 'brokers' | 'sasl'>;

function connectTo(where: Where) {
  const connection = 'brokers' in where ? where : { brokers: where };
  return connectKafka({ ...connection, clientId: 'test' }, { requestTimeoutMs: 5_000, retries: 5 });
}

export async function withAdmin<T>(where: Where, work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = connectTo(where).admin();
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}

type Ends = Awaited<ReturnType<Admin['fetchTopicOffsets']>>;

/** While partitions get other leaders, brokers refuse for a moment. */
async function endsOf(where: Where, topic: string): Promise<Ends> {
  let ends: Ends = [];
  await until(async () => {
    try {
      ends = await withAdmin(where, (admin) => admin.fetchTopicOffsets(topic));
      return true;
    } catch (error) {
      if (isPassing(error)) return false;
      throw error;
    }
  });
  return ends;
}

export async function readAll(where: Where, topic: string): Promise<StoredMessage[]> {
  const ends = await endsOf(where, topic);
  const missing = new Map(
    ends.filter(({ high, low }) => BigInt(high) > BigInt(low)).map((end) => [end.partition, BigInt(end.high)]),
  );
  const messages: StoredMessage[] = [];
  if (missing.size === 0) return messages;
  const consumer = connectTo(where).consumer({ groupId: `reader-${crypto.randomUUID()}`, maxWaitTimeInMs: 100 });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await new Promise<void>((resolve, reject) => {
    consumer.on(consumer.events.CRASH, ({ payload }) => !payload.restart && reject(payload.error));
    void consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch }) => {
        for (const { offset, key, value, headers } of batch.messages) {
          const texts = Object.entries(headers ?? {}).map(([name, text]) => [name, String(text)]);
          messages.push({
            partition: batch.partition,
            offset,
            key: String(key),
            value: String(value),
            headers: Object.fromEntries(texts),
          });
        }
        const end = missing.get(batch.partition);
        if (end !== undefined && BigInt(batch.lastOffset()) + 1n >= end) missing.delete(batch.partition);
        if (missing.size === 0) resolve();
      },
    });
  });
  await consumer.disconnect();
  return messages;
}

/** The time limit is longer than usual, because a broker is slow. */
export const until = (isTrue: () => boolean | Promise<boolean>, withinMs = 30_000) => soon(isTrue, withinMs);
