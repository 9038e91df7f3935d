/** What all buses share: they encode, decode, trace and dead-letter events here, whatever the transport. */
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

/** The transport: it carries messages with the guarantees that `Bus` gives for events. */
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

/** Calls `onProgress` while it works, where its time grows with the number of messages. */
export type MessageHandler = (
  messages: readonly BusMessage[],
  park: ParkMessage,
  onProgress: () => void,
) => Promise<void>;
/**
 * Resolves once the message is stored where an operator finds it. It is one of those that the handler got, or a line of
 * `from`, which is.
 */
export type ParkMessage = (message: BusMessage, error: Error, from?: BusMessage) => Promise<void>;

/** The part of a `Logger` that reports dead-lettered messages. */
export interface Warns {
  warn(message: string, fields: object): unknown;
}

interface Rejected {
  readonly message: BusMessage;
  readonly error: Error;
}

/** Visitors come first where the redirector shares the process: decoding yields after this many events (1 to 3 ms). */
const YIELD_EVERY = 256;
const TRACES_NAMED = 10;

export function typedBus(carrier: MessageBus, logger: Warns): Bus {
  const consumers = new Set<Consumer>();
  return {
    consumers: () => [...consumers],
    publish: (topic, events) =>
      carrier.publish(
        topic.name,
        events.map((event) => encoded(topic, event)),
      ),
    publishEncoded: (topic, messages) => carrier.publish(topic.name, messages),
    async subscribe(topic, group, handler, options) {
      let parked = 0;
      let handled = 0;
      const handle: MessageHandler = async (messages, park, onProgress) => {
        const { deliveries, unreadable } = await decodedOnce(topic, messages);
        const rejected = [...unreadable];
        if (deliveries.length > 0)
          await handler(deliveries, ({ message }, error) => rejected.push({ message, error }), onProgress);
        const events = deliveries.length + unreadable.length;
        handled += events - rejected.length;
        if (rejected.length === 0) return;
        await Promise.all(rejected.map(({ message, error }) => park(message, error, origins.get(message))));
        parked += rejected.length;
        const trace_ids = rejected.slice(0, TRACES_NAMED).map(({ message }) => traceIdOf(traceparentOf(message)));
        const facts = { topic: topic.name, group, messages: events, parked: rejected.length, trace_ids };
        logger.warn('messages parked', { ...facts, ...errorFields(rejected[0]?.error) });
      };
      const { stop, lag } = await carrier.subscribe(topic.name, group, handle, options);
      const consumer: Consumer = {
        topic: topic.name,
        group,
        get handled() {
          return handled;
        },
        get parked() {
          return parked;
        },
        lag,
      };
      consumers.add(consumer);
      return {
        parked: () => parked,
        stop: (how) => {
          consumers.delete(consumer);
          return stop(how);
        },
      };
    },
  };
}

/** Of the trace to which a message belongs. */
export const traceparentOf = ({ headers }: BusMessage): string | undefined => headers?.traceparent;

/** Encodes an event as a message in the trace of `parent`, by default the current trace. */
export function encoded<Event>(topic: Topic<Event>, event: Event, parent = traceparent()): Encoded<Event> {
  const message = { key: topic.key(event), value: topic.encode(event) };
  return parent === undefined ? message : { ...message, headers: { traceparent: parent } };
}

interface Read<Event> {
  readonly deliveries: readonly Delivery<Event>[];
  readonly unreadable: readonly Rejected[];
}

const reads = new WeakMap<readonly BusMessage[], Promise<Read<unknown>>>();

/** In one process several groups get the same messages: the first to come decodes for all. */
function decodedOnce<Event>(topic: Topic<Event>, messages: readonly BusMessage[]): Promise<Read<Event>> {
  const before = reads.get(messages);
  if (before !== undefined) return before as Promise<Read<Event>>; // a batch belongs to one topic
  const read = decoded(topic, messages);
  reads.set(messages, read);
  return read;
}

async function decoded<Event>(topic: Topic<Event>, messages: readonly BusMessage[]): Promise<Read<Event>> {
  const deliveries: Delivery<Event>[] = [];
  const unreadable: Rejected[] = [];
  let read = 0;
  for (const whole of messages) {
    const values = topic.hasLines ? whole.value.split('\n') : [whole.value];
    const isOne = values.length === 1;
    for (const value of values) {
      if (read > 0 && read % YIELD_EVERY === 0) await nextTurn();
      read += 1;
      try {
        const event = topic.decode(value);
        deliveries.push(isOne ? { event, message: whole } : lineDelivery(event, topic, value, whole));
      } catch (error) {
        if (!(error instanceof UnreadableMessage)) throw error;
        unreadable.push({ message: isOne ? whole : lineMessage(whole, value), error });
      }
    }
  }
  return { deliveries, unreadable };
}

/** An event of a message with several. The message that it could have been is made when it is needed, which is seldom. */
const lineDelivery = <Event>(event: Event, topic: Topic<Event>, line: string, whole: BusMessage): Delivery<Event> => ({
  event,
  get message() {
    return lineMessage(whole, line, topic.key(event));
  },
});

/** From which message a line is. */
const origins = new WeakMap<BusMessage, BusMessage>();

/** A line that cannot be read has the key of its message. */
function lineMessage(whole: BusMessage, line: string, key = whole.key): BusMessage {
  const message = { key, value: line, headers: { traceparent: traceparentOfUuid(key) } };
  origins.set(message, whole);
  return message;
}

/** Handles whole batches; each event that was not dead-lettered gets a span that covers its whole batch. */
export function inBatches<Event>(span: string, handle: BusHandler<Event>): BusHandler<Event> {
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
    recordSpans(span, deliveries, parentOf, () => startedAt, Date.now());
  };
}
