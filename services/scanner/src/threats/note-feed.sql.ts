import { type Database, rows } from '@waypost/postgres';
import type { NoteFeed } from './note-feed.port.ts';

export const postgresNoteFeed =
  (database: () => Database): NoteFeed =>
  async (change, feed, detail) =>
    void (await rows(database(), 'SELECT note_feed($1, $2, $3)', [change, feed, detail]));
