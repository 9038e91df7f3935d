import type { LinkEvent, TOPICS } from '@waypost/domain';
import type { Encoded } from './bus.ts';

export interface OutboxRow extends Encoded<LinkEvent> {
  readonly id: string;
  readonly topic: typeof TOPICS.links;
}

export interface Outbox {
  /**
   * Runs `relay` again and again while this process is the leader (one at a time over all replicas) until stopped:
   * with the oldest committed rows, in order, which are deleted when it resolves and stay when it rejects.
   */
  drain(relay: (rows: readonly OutboxRow[]) => Promise<void>): Promise<{ stop(): Promise<void> }>;
  /** Rows that wait, and the age of the oldest in milliseconds. */
  backlog(): Promise<{ readonly rows: number; readonly oldestMs: number }>;
}
