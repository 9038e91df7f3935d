import { unavailable } from '@waypost/domain';
import type { BusMessage } from '@waypost/ports';
import type { Kafka, Message } from 'kafkajs';
import { isPassing, METADATA_MAX_AGE_MS, partitioner, settlesWithin } from './kafkajs.ts';

/** 1,000 messages at once are fastest (90,000 a second), but they block the event loop for 16 ms. */
const BATCH_MESSAGES = 400;
/** A broker accepts at most 4 MB in a request (deploy/kafka/server.properties). */
const BATCH_CHARACTERS = 1_000_000;
/**
 * While a broker hangs, kafkajs keeps every message in memory, each with 12 KB besides its text
 * (docs/kafkajs-pitfalls.md, 6). Our senders wait for each send, so only a fault in one of them reaches this limit.
 */
const IN_FLIGHT_MAX = 50_000;
/** A message with more text than this counts as several messages. */
const MESSAGE_CHARACTERS = 12_000;
const BROKER_TIMEOUT_MS = 4_000;
const STOP_WITHIN_MS = 3_000;

/**
 * Never make the producer idempotent. After a failed send kafkajs would use the same sequence numbers again, and the
 * broker would drop those messages (docs/kafkajs-pitfalls.md, 2). A send waits for all in-sync replicas and always has
 * a key (docs/kafkajs-pitfalls.md, 4). kafkajs may not retry it (docs/kafkajs-pitfalls.md, 18).
 */
export function kafkaPublisher(kafka: Kafka) {
  const producer = kafka.producer({
    createPartitioner: partitioner,
    idempotent: false,
    allowAutoTopicCreation: false,
    metadataMaxAge: METADATA_MAX_AGE_MS,
    retry: { retries: 0 },
  });
  let connecting: Promise<void> | undefined;
  let inFlight = 0;
  let stopped = false;

  async function connected(): Promise<void> {
    connecting ??= producer.connect();
    try {
      await connecting;
    } catch (error) {
      connecting = undefined; // the next caller retries
      throw error;
    }
  }

  async function send(topic: string, messages: readonly BusMessage[]): Promise<void> {
    await connected();
    for (const batch of batches(messages)) {
      const attempt = () => producer.send({ topic, messages: batch, acks: -1, timeout: BROKER_TIMEOUT_MS });
      await attempt().catch((error) => (isPassing(error) ? attempt() : Promise.reject(error)));
    }
  }

  return {
    async publish(topic: string, messages: readonly BusMessage[]): Promise<void> {
      if (messages.length === 0) return;
      if (stopped) throw unavailable('The bus has stopped.');
      if (messages.some(({ key }) => key === '')) throw new Error(`a message for ${topic} has no key`);
      const weight = messages.reduce((sum, { value }) => sum + 1 + Math.floor(value.length / MESSAGE_CHARACTERS), 0);
      if (inFlight > 0 && inFlight + weight > IN_FLIGHT_MAX) {
        throw unavailable(`${inFlight} messages already wait for the bus.`);
      }
      inFlight += weight;
      try {
        await send(topic, messages);
      } catch (error) {
        throw isPassing(error) ? unavailable('Kafka is unavailable. Try again later.', error) : error;
      } finally {
        inFlight -= weight;
      }
    },
    async stop(): Promise<void> {
      stopped = true;
      await settlesWithin(producer.disconnect(), STOP_WITHIN_MS);
    },
  };
}

function* batches(messages: readonly BusMessage[]): Generator<Message[]> {
  let batch: Message[] = [];
  let characters = 0;
  for (const { key, value, headers } of messages) {
    if (batch.length > 0 && (batch.length >= BATCH_MESSAGES || characters + value.length > BATCH_CHARACTERS)) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push({ key, value, ...(headers === undefined ? {} : { headers: { ...headers } }) });
    characters += key.length + value.length;
  }
  if (batch.length > 0) yield batch;
}
