import type { Topic, TopicName } from '@waypost/domain';

export interface BusMessage {
  readonly key: string;
  /** JSON. */
  readonly value: string;
  /** Metadata, such as `traceparent` (W3C Trace Context). */
  readonly headers?: Readonly<Record<string, string>>;
}

declare const EVENT: unique symbol;
/** A message whose event was encoded by its first sender. It is passed on unchanged. */
export interface Encoded<Event> extends BusMessage {
  readonly [EVENT]?: Event;
}

export interface Delivery<Event> {
  readonly event: Event;
  /** The message as received. If the event is one line of a message, an equivalent message with this line alone. */
  readonly message: BusMessage;
  /** The whole message, if the event is one line of it. */
  readonly whole?: BusMessage;
}

export interface Subscription {
  /** Dead-lettered messages since the subscription began. A message counts again if it is delivered again. */
  parked(): number;
  /** Resolves once the running handler has ended; no other handler will start. Later messages wait for the group. */
  stop(): Promise<void>;
}

export interface Bus {
  /**
   * Resolves once the bus has durably accepted every event. If it rejects, some or all events may still arrive. The
   * events belong to the current trace.
   */
  publish<Event>(topic: Topic<Event>, events: readonly Event[]): Promise<void>;
  publishEncoded<Event>(topic: Topic<Event>, messages: readonly Encoded<Event>[]): Promise<void>;
  /**
   * Delivers every event to each group at least once, in order per key. If a handler throws, it gets the same events
   * again later. A message that its topic cannot decode is dead-lettered ("parked"). It goes to the topic
   * `<name>.parked` with the error, where an operator can inspect it.
   */
  subscribe<Event>(
    topic: Topic<Event>,
    group: string,
    handler: BusHandler<Event>,
    options?: SubscribeOptions,
  ): Promise<Subscription>;
  consumers(): readonly Consumer[];
}

export interface Consumer {
  readonly topic: TopicName;
  readonly group: string;
  /** The number of messages since the subscription began. */
  readonly handled: number;
  readonly parked: number;
  /** Resolves to the number of messages that wait for this process. Rejects if the number is unknown. */
  lag(): Promise<number>;
}

export interface SubscribeOptions {
  /** The group does not need events from before this time, but may get some of them. */
  readonly since?: Date;
}

/**
 * `deliveries` is never empty. A handler counts as stuck after two minutes without a call of `onProgress`. So a handler
 * whose time grows with the number of events must call it for each event.
 */
export type BusHandler<Event> = (
  deliveries: readonly Delivery<Event>[],
  park: Park<Event>,
  onProgress: () => void,
) => Promise<void>;
/**
 * Dead-letters an event that can be decoded but never handled. The event is parked when the handler resolves; if the
 * handler throws, nothing is parked.
 */
export type Park<Event> = (delivery: Delivery<Event>, error: Error) => void;
