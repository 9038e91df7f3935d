import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client';
import { type EnrichedClick, unavailable } from '@waypost/domain';
import type { ClickSink } from '@waypost/ports';
import { CLICKS_TABLE, identifier } from './schema.ts';

/**
 * When `store` resolves, the clicks are safe from a power loss: the insert is synchronous and the table syncs its
 * parts.
 *
 * Rejects with `unavailable` when the store cannot accept clicks now, and with another error when it refuses a row.
 */
export function clickhouseClickSink(client: ClickHouseClient, database: string): ClickSink {
  const table = `${identifier(database)}.${CLICKS_TABLE}`;
  return {
    async store(clicks) {
      const values = clicks.map(row);
      try {
        await client.insert({ table, values, format: 'JSONEachRow', clickhouse_settings: SETTINGS });
      } catch (error) {
        if (error instanceof ClickHouseError && ROW_REFUSED.has(error.type ?? '')) throw error;
        throw unavailable('The click store is unavailable. Try again later.', error);
      }
    },
  };
}

/** ClickHouse then refuses an insert, and the bus brings the batch again. `stored-clicks.ts` relies on the limit. */
export const STORE_WITHIN_SECONDS = 10;

const SETTINGS = {
  async_insert: 0,
  // On a cluster, an insert must not end before the shards have it.
  distributed_foreground_insert: 1,
  max_execution_time: STORE_WITHIN_SECONDS,
  // A batch may have clicks of any number of months, and the limit of 100 partitions must not refuse it.
  max_partitions_per_insert_block: '0',
  // A missing value must be an error and must not become the default of its column.
  input_format_null_as_default: 0,
  // In all-in-one the other processor core must stay free for visitors.
  input_format_parallel_parsing: 0,
} as const;

const row = (click: EnrichedClick) => ({
  event_id: click.id,
  account_id: click.accountId,
  slug: click.slug,
  clicked_at: click.at,
  visitor_hash: number(click.visitor),
  ...(click.previousVisitor !== undefined && { previous_visitor_hash: number(click.previousVisitor) }),
  country: click.country,
  // ClickHouse refuses text with half of a surrogate pair.
  referrer: click.referrer.toWellFormed(),
  device: click.device,
  browser: click.browser.toWellFormed(),
  is_bot: click.isBot,
});

const number = (hash: string) => BigInt(`0x${hash}`).toString();

/** With these errors ClickHouse refuses a value. After any other error the batch is retried. */
const ROW_REFUSED: ReadonlySet<string> = new Set(
  `ARGUMENT_OUT_OF_BOUND CANNOT_PARSE_BOOL CANNOT_PARSE_DATE CANNOT_PARSE_DATETIME CANNOT_PARSE_ESCAPE_SEQUENCE
   CANNOT_PARSE_INPUT_ASSERTION_FAILED CANNOT_PARSE_NUMBER CANNOT_PARSE_TEXT CANNOT_PARSE_UUID DECIMAL_OVERFLOW
   INCORRECT_DATA TOO_LARGE_STRING_SIZE TYPE_MISMATCH UNKNOWN_ELEMENT_OF_ENUM
   VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE`.split(/\s+/),
);
