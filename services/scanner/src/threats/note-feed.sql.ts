import { rows } from '@waypost/postgres';
import type { DataSource } from 'typeorm';
import type { NoteFeed } from './note-feed.port.ts';

export const postgresNoteFeed =
  (database: () => DataSource): NoteFeed =>
  async (change, feed, detail) =>
    void (await rows(database(), 'SELECT note_feed($1, $2, $3)', [change, feed, detail]));
