import type { Topic } from '@waypost/domain';

export interface BusMessage {
  /** Messages of one key are delivered in order. */
  readonly key: string;
  /** JSON. */
  readonly value: string;
  /** What travels beside it: `traceparent` (W3C Trace Context). */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Subscription {
  /** Resolves when the running handler has ended and no other will start. */
  stop(): Promise<void>;
}

export interface Bus {
  /** Resolves when the bus answers for every message; a rejection means that some or all may have arrived. */
  publish(topic: Topic, messages: readonly BusMessage[]): Promise<void>;
  /**
   * Each group gets every message at least once, in order per key. A handler that throws gets the same messages
   * again later; what can never succeed it hands to `park` and goes on.
   */
  subscribe(topic: Topic, group: string, handler: BusHandler): Promise<Subscription>;
}

export type BusHandler = (messages: readonly BusMessage[], park: Park) => Promise<void>;
/** Puts a message aside, with its error, for a person to look at (topic `<name>.parked`). */
export type Park = (message: BusMessage, error: Error) => Promise<void>;
