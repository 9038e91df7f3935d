import type { Topic, TopicName } from '@waypost/domain';

/** An encoded event. */
export interface BusMessage {
  readonly key: string;
  /** JSON. */
  readonly value: string;
  /** Metadata: `traceparent` (W3C Trace Context). */
  readonly headers?: Readonly<Record<string, string>>;
}

declare const EVENT: unique symbol;
/** A message that holds an event of this kind, encoded when the event was made and passed on unchanged. */
export interface Encoded<Event> extends BusMessage {
  readonly [EVENT]?: Event;
}

/** A received event. */
export interface Delivery<Event> {
  readonly event: Event;
  /** The message as received. */
  readonly message: BusMessage;
}

export interface Subscription {
  /** Messages dead-lettered since the subscription began; a redelivered one counts again. */
  parked(): number;
  /**
   * Resolves once the running handler has ended and no other will start. Later messages wait for the group, unless it
   * is `leaving`.
   */
  stop(how?: { readonly leaving: boolean }): Promise<void>;
}

export interface Bus {
  /**
   * Resolves once the bus has durably accepted every event; a rejection means that some or all may have arrived. The
   * events join the current trace.
   */
  publish<Event>(topic: Topic<Event>, events: readonly Event[]): Promise<void>;
  /** The same for messages that are encoded already. */
  publishEncoded<Event>(topic: Topic<Event>, messages: readonly Encoded<Event>[]): Promise<void>;
  /**
   * Each group gets every event at least once, in order per key. A handler that throws gets the same events again
   * later. A message that its topic cannot decode is dead-lettered ("parked"): it goes to the topic `<name>.parked`
   * with the error, for an operator to inspect.
   */
  subscribe<Event>(
    topic: Topic<Event>,
    group: string,
    handler: BusHandler<Event>,
    options?: SubscribeOptions,
  ): Promise<Subscription>;
  /** Those that are running. */
  consumers(): readonly Consumer[];
}

/** A subscription of this process, for metrics. */
export interface Consumer {
  readonly topic: TopicName;
  readonly group: string;
  /** Messages since the subscription began. */
  readonly handled: number;
  readonly parked: number;
  /** Messages that wait for this process. Rejects if that cannot be told. */
  lag(): Promise<number>;
}

export interface SubscribeOptions {
  /** The group does not need events that were published before. It may get some of them all the same. */
  readonly since?: Date;
}

/**
 * `deliveries` is never empty. A handler that takes two minutes without `onProgress` counts as stuck: its time may grow with
 * the number of events only if it calls that for each of them.
 */
export type BusHandler<Event> = (
  deliveries: readonly Delivery<Event>[],
  park: Park<Event>,
  onProgress: () => void,
) => Promise<void>;
/**
 * Dead-letters an event that can be decoded but never handled, once the handler resolves; if it throws, nothing is
 * dead-lettered.
 */
export type Park<Event> = (delivery: Delivery<Event>, error: Error) => void;
