import type { LinkEvent, TOPICS } from '@waypost/domain';
import type { Encoded } from './bus.ts';

export interface OutboxRow extends Encoded<LinkEvent> {
  readonly id: string;
  readonly topic: typeof TOPICS.links;
}

export interface Outbox {
  /**
   * While this process is the leader (one over all replicas), calls `relay` with the oldest committed rows, in order,
   * again and again until stopped. The rows are deleted when it resolves and stay when it rejects.
   */
  drain(relay: (rows: readonly OutboxRow[]) => Promise<void>): Promise<{ stop(): Promise<void> }>;
  /** The number of waiting rows, and the age of the oldest in milliseconds. */
  backlog(): Promise<{ readonly rows: number; readonly oldestMs: number }>;
}
