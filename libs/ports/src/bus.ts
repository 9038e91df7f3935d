import type { Topic } from '@waypost/domain';

/** An event as it travels. */
export interface BusMessage {
  readonly key: string;
  /** JSON. */
  readonly value: string;
  /** What travels beside it: `traceparent` (W3C Trace Context). */
  readonly headers?: Readonly<Record<string, string>>;
}

declare const EVENT: unique symbol;
/** A message that holds an event of this kind: encoded when the event was made, and passed on as it is. */
export interface Encoded<Event> extends BusMessage {
  readonly [EVENT]?: Event;
}

/** An event that arrived. */
export interface Delivery<Event> {
  readonly event: Event;
  /** As it came. */
  readonly message: BusMessage;
}

export interface Subscription {
  /** Messages parked since it began; one that is delivered again counts again. */
  parked(): number;
  /** Resolves when the running handler has ended and no other will start. */
  stop(): Promise<void>;
}

export interface Bus {
  /**
   * Resolves when the bus answers for every event; a rejection means that some or all may have arrived. The events
   * belong to the trace of what runs now.
   */
  publish<Event>(topic: Topic<Event>, events: readonly Event[]): Promise<void>;
  /** The same for what was encoded before. */
  publishEncoded<Event>(topic: Topic<Event>, messages: readonly Encoded<Event>[]): Promise<void>;
  /**
   * Each group gets every event at least once, in order per key. A handler that throws gets the same events again
   * later. What its topic cannot decode is parked: set aside, with the error, for a person to look at (topic
   * `<name>.parked`).
   */
  subscribe<Event>(topic: Topic<Event>, group: string, handler: BusHandler<Event>): Promise<Subscription>;
}

/** `deliveries` is never empty. */
export type BusHandler<Event> = (deliveries: readonly Delivery<Event>[], park: Park<Event>) => Promise<void>;
/** Parks what can be decoded and yet never be handled, when the handler resolves; if it throws, nothing is parked. */
export type Park<Event> = (delivery: Delivery<Event>, error: Error) => void;
