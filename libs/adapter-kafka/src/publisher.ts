import { unavailable } from '@waypost/domain';
import type { BusMessage } from '@waypost/ports';
import type { Kafka, Message } from 'kafkajs';
import { isPassing, partitioner, settlesWithin } from './kafkajs.ts';

export interface Publisher {
  publish(topic: string, messages: readonly BusMessage[]): Promise<void>;
  stop(): Promise<void>;
}

/** 1,000 small ones are fastest (90,000 a second), but building them blocks the event loop for 16 ms. */
const BATCH_MESSAGES = 400;
/** A broker accepts at most 4 MB at once (deploy/kafka/server.properties). */
const BATCH_CHARACTERS = 1_000_000;
/**
 * kafkajs buffers any number of messages while a broker hangs, 12 KB each besides their text (docs/kafkajs-pitfalls.md,
 * 6). Each of our sources has one send in flight, so reaching this limit means that one of them broke that rule.
 */
const IN_FLIGHT_MAX = 50_000;
/** A message with more text than this counts as several. */
const MESSAGE_CHARACTERS = 12_000;
const BROKER_TIMEOUT_MS = 4_000;
const STOP_WITHIN_MS = 3_000;

/**
 * Never idempotent: after a failed send kafkajs reuses the sequence numbers for other messages, which the broker
 * acknowledges and drops (docs/kafkajs-pitfalls.md, 2). No transactions, acks of all in-sync replicas, and always a key
 * (docs/kafkajs-pitfalls.md, 4).
 */
export function kafkaPublisher(kafka: Kafka): Publisher {
  const producer = kafka.producer({
    createPartitioner: partitioner,
    idempotent: false,
    allowAutoTopicCreation: false,
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
      await producer.send({ topic, messages: batch, acks: -1, timeout: BROKER_TIMEOUT_MS });
    }
  }

  return {
    async publish(topic, messages) {
      if (messages.length === 0) return;
      if (stopped) throw unavailable('the bus is stopped');
      if (messages.some(({ key }) => key === '')) throw new Error(`a message for ${topic} has no key`);
      const weight = messages.reduce((sum, { value }) => sum + 1 + Math.floor(value.length / MESSAGE_CHARACTERS), 0);
      if (inFlight > 0 && inFlight + weight > IN_FLIGHT_MAX) {
        throw unavailable(`${inFlight} messages wait for the bus already`);
      }
      inFlight += weight;
      try {
        await send(topic, messages);
      } catch (error) {
        throw isPassing(error) ? unavailable('Kafka cannot be reached right now.', error) : error;
      } finally {
        inFlight -= weight;
      }
    },
    async stop() {
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
