import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Topic, type TopicName, UnreadableMessage } from '@waypost/domain';
import type {
  Bus,
  BusHandler,
  BusMessage,
  Consumer,
  Delivery,
  Encoded,
  Park,
  SubscribeOptions,
  Subscription,
} from '@waypost/ports';
import { errorFields, recordSpans, traceIdOf, traceparent, traceparentOfUuid } from '@waypost/telemetry';

export { BUS_METRICS, busMetrics, LAG_METRICS } from './metrics.ts';

/** The transport of messages. It gives the guarantees that `Bus` promises for events. */
export interface MessageBus {
  publish(topic: TopicName, messages: readonly BusMessage[]): Promise<void>;
  subscribe(
    topic: TopicName,
    group: string,
    handler: MessageHandler,
    options?: SubscribeOptions,
  ): Promise<CarrierSubscription>;
}

export type CarrierSubscription = Pick<Subscription, 'stop'> & Pick<Consumer, 'lag'>;

/** If its time grows with the number of messages, the handler calls `onProgress` during its work. */
export type MessageHandler = (
  messages: readonly BusMessage[],
  park: ParkMessage,
  onProgress: () => void,
) => Promise<void>;
/**
 * Resolves once the message is stored where an operator can inspect it. `from` is the whole message if `message` is one
 * line of it.
 */
export type ParkMessage = (message: BusMessage, error: Error, from?: BusMessage) => Promise<void>;

export interface Warns {
  warn(message: string, fields: object): unknown;
}

interface Rejected {
  readonly message: BusMessage;
  readonly whole?: BusMessage | undefined;
  readonly error: Error;
}

/** Decoding pauses after this many events (1 to 3 ms), because visitors may wait in the same process. */
const YIELD_EVERY = 256;
const TRACES_NAMED = 10;

export function typedBus(carrier: MessageBus, logger: Warns): Bus {
  const consumers = new Set<Consumer>();
  const decodedOnce = decodesOnce();
  return {
    consumers: () => [...consumers],
    publish: (topic, events) =>
      carrier.publish(
        topic.name,
        events.map((event) => encoded(topic, event)),
      ),
    publishEncoded: (topic, messages) => carrier.publish(topic.name, messages),
    async subscribe(topic, group, handler, options) {
      const counts = { handled: 0, parked: 0 };
      const handle: MessageHandler = async (messages, park, onProgress) => {
        const { deliveries, unreadable } = await decodedOnce(topic, messages);
        const rejected = [...unreadable];
        if (deliveries.length > 0)
          await handler(
            deliveries,
            ({ message, whole }, error) => rejected.push({ message, whole, error }),
            onProgress,
          );
        const events = deliveries.length + unreadable.length;
        counts.handled += events - rejected.length;
        if (rejected.length === 0) return;
        await Promise.all(rejected.map(({ message, error, whole }) => park(message, error, whole)));
        counts.parked += rejected.length;
        const trace_ids = rejected.slice(0, TRACES_NAMED).map(({ message }) => traceIdOf(traceparentOf(message)));
        const facts = { topic: topic.name, group, messages: events, parked: rejected.length, trace_ids };
        logger.warn('messages were rejected and parked', { ...facts, ...errorFields(rejected[0]?.error) });
      };
      const { stop, lag } = await carrier.subscribe(topic.name, group, handle, options);
      const consumer: Consumer = Object.assign(counts, { topic: topic.name, group, lag });
      consumers.add(consumer);
      return {
        parked: () => counts.parked,
        stop: () => {
          consumers.delete(consumer);
          return stop();
        },
      };
    },
  };
}

export const traceparentOf = ({ headers }: BusMessage): string | undefined => headers?.traceparent;

export function encoded<Event>(topic: Topic<Event>, event: Event, parent = traceparent()): Encoded<Event> {
  const message = { key: topic.key(event), value: topic.encode(event) };
  return parent === undefined ? message : { ...message, headers: { traceparent: parent } };
}

interface Read<Event> {
  readonly deliveries: readonly Delivery<Event>[];
  readonly unreadable: readonly Rejected[];
}

/** In one process, several groups get the same messages. The first group decodes them for all. */
function decodesOnce() {
  const reads = new WeakMap<readonly BusMessage[], Promise<Read<unknown>>>();
  return <Event>(topic: Topic<Event>, messages: readonly BusMessage[]): Promise<Read<Event>> => {
    const before = reads.get(messages);
    if (before !== undefined) return before as Promise<Read<Event>>; // all messages of a batch belong to one topic
    const deliveries = decoded(topic, messages);
    reads.set(messages, deliveries);
    return deliveries;
  };
}

async function decoded<Event>(topic: Topic<Event>, messages: readonly BusMessage[]): Promise<Read<Event>> {
  const deliveries: Delivery<Event>[] = [];
  const unreadable: Rejected[] = [];
  let count = 0;
  for (const whole of messages) {
    const values = topic.hasLines ? whole.value.split('\n') : [whole.value];
    const isOne = values.length === 1;
    for (const value of values) {
      if (count > 0 && count % YIELD_EVERY === 0) await nextTurn();
      count += 1;
      try {
        const event = topic.decode(value);
        deliveries.push(isOne ? { event, message: whole } : lineDelivery(event, topic, value, whole));
      } catch (error) {
        if (!(error instanceof UnreadableMessage)) throw error;
        unreadable.push(isOne ? { message: whole, error } : { message: lineMessage(whole, value), whole, error });
      }
    }
  }
  return { deliveries, unreadable };
}

/** Returns an event of a message with several lines. Its own message is rarely needed, so it is built on demand. */
const lineDelivery = <Event>(event: Event, topic: Topic<Event>, line: string, whole: BusMessage): Delivery<Event> => ({
  event,
  whole,
  get message() {
    return lineMessage(whole, line, topic.key(event));
  },
});

/** By default the message of a line has the key of the whole message, because an unreadable line has none. */
const lineMessage = (whole: BusMessage, line: string, key = whole.key): BusMessage => ({
  key,
  value: line,
  headers: { traceparent: traceparentOfUuid(key) },
});

/** Returns a handler that records a span for each event that was not dead-lettered. The span covers the whole batch. */
export function inBatches<Event>(span: string, topic: Topic<Event>, handle: BusHandler<Event>): BusHandler<Event> {
  return async (deliveries, park, onProgress) => {
    const startedAt = Date.now();
    const parked = new Set<Delivery<Event>>();
    const parkAndNote: Park<Event> = (delivery, error) => {
      parked.add(delivery);
      park(delivery, error);
    };
    await handle(deliveries, parkAndNote, onProgress);
    const parentOf = (delivery: Delivery<Event>) =>
      parked.has(delivery) ? undefined : traceparentOf(delivery.message);
    const spans = { operation: 'process', destination: topic.name } as const;
    recordSpans(span, deliveries, parentOf, () => startedAt, Date.now(), spans);
  };
}
