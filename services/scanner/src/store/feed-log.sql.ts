import { rows } from '@waypost/postgres';
import type { DataSource } from 'typeorm';

/** Notes in the audit log what an operator did with a feed. */
export type NoteFeed = (change: 'imported' | 'entry_released', feed: string, detail: string) => Promise<void>;

export const postgresNoteFeed =
  (database: () => DataSource): NoteFeed =>
  async (change, feed, detail) =>
    void (await rows(database(), 'SELECT note_feed($1, $2, $3)', [change, feed, detail]));
