import type { LinkEvent } from '@waypost/domain';
import type { Encoded } from './bus.ts';

export interface OutboxRow extends Encoded<LinkEvent> {
  readonly id: string;
}

/** An event from the outbox. */
export interface RelayedEvent {
  readonly event: LinkEvent;
  /** The trace of the creation or change (W3C Trace Context). */
  readonly traceparent: string | undefined;
}

export interface Outbox {
  /**
   * Only one process of all replicas, the leader, drains the outbox. It calls `relay` again and again with the oldest
   * committed rows, in order. The rows are deleted when `relay` resolves, and stay when it rejects.
   */
  drain(relay: (rows: readonly OutboxRow[]) => Promise<void>): Promise<{ stop(): Promise<void> }>;
  /** Resolves to the number of waiting rows, and the age of the oldest row in milliseconds. */
  backlog(): Promise<{ readonly rows: number; readonly oldestMs: number }>;
}
