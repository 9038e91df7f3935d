import { Readable } from 'node:stream';
import { type ClickHouseClient, drainStream } from '@clickhouse/client';
import { unavailable } from '@waypost/domain';
import type { ClickSink } from '@waypost/ports';
import { CLICK_COLUMNS, clickRows } from './click-rows.ts';
import { CLICKS_TABLE, identifier } from './schema.ts';

/**
 * Stores clicks in ClickHouse. Resolved means durable: the insert is synchronous and the table syncs its parts.
 *
 * All settings are in the SQL text: chDB's connection turns `clickhouse_settings` into `SET`s that outlive the call.
 *
 * Rejects with `unavailable` when the store cannot accept clicks now, and with another error for a click that the table
 * cannot hold.
 */
export function clickhouseClickSink(client: ClickHouseClient, database: string): ClickSink {
  // A batch may touch any number of months: a retry of old clicks must not hit the limit of 100 partitions.
  const query = `INSERT INTO ${identifier(database)}.${CLICKS_TABLE} (${CLICK_COLUMNS.join(', ')})
    SETTINGS async_insert = 0, max_partitions_per_insert_block = 0
    FORMAT Native`;
  return {
    async store(clicks) {
      if (clicks.length === 0) return;
      const values = Readable.from([clickRows(clicks)], { objectMode: false });
      try {
        const { stream } = await client.exec({ query, values });
        await drainStream(stream);
      } catch (error) {
        throw unavailable('the click store cannot take clicks now', error);
      }
    },
  };
}
