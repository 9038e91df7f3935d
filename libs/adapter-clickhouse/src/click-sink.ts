import { Readable } from 'node:stream';
import { type ClickHouseClient, ClickHouseError, drainStream } from '@clickhouse/client';
import { type EnrichedClick, unavailable } from '@waypost/domain';
import type { ClickSink } from '@waypost/ports';
import { CLICKS_TABLE, identifier } from './schema.ts';

/**
 * Stores clicks in ClickHouse. Resolved means durable: the insert is synchronous and the table syncs its parts.
 *
 * All settings are in the SQL text: chDB's connection turns `clickhouse_settings` into `SET`s that outlive the call.
 * Rows are TabSeparated text, the fastest of the formats that we measured for batches of 10,000 (250 k rows/s including
 * the encoding, JSONCompactEachRow 204 k to 231 k, JSONEachRow 165 k; below 1,000 rows they are equal), and the only
 * one that can express any JavaScript string: JSON escapes half a surrogate pair, and ClickHouse then refuses the row.
 *
 * Rejects with `unavailable` when the store cannot accept clicks now, and with another error when it refuses a row.
 */
export function clickhouseClickSink(client: ClickHouseClient, database: string): ClickSink {
  // A batch may touch any number of months: a retry of old clicks must not hit the limit of 100 partitions.
  const query = `INSERT INTO ${identifier(database)}.${CLICKS_TABLE} (${COLUMNS})
    SETTINGS async_insert = 0, input_format_parallel_parsing = 0, max_partitions_per_insert_block = 0
    FORMAT TabSeparated`;
  return {
    async store(clicks) {
      if (clicks.length === 0) return;
      const values = Readable.from([Buffer.from(encodeRows(clicks))], { objectMode: false });
      try {
        const { stream } = await client.exec({ query, values });
        await drainStream(stream);
      } catch (error) {
        if (error instanceof ClickHouseError && ROW_REFUSED.has(error.type ?? '')) throw error;
        throw unavailable('the click store cannot take clicks now', error);
      }
    },
  };
}

const COLUMNS =
  'event_id, slug, clicked_at, visitor_hash, previous_visitor_hash, country, referrer, device, browser, is_bot';

/**
 * ClickHouse's errors about a value that it cannot parse. Any other error is about the store, and the batch is retried.
 */
const ROW_REFUSED: ReadonlySet<string> = new Set([
  'ARGUMENT_OUT_OF_BOUND',
  'CANNOT_PARSE_BOOL',
  'CANNOT_PARSE_DATE',
  'CANNOT_PARSE_DATETIME',
  'CANNOT_PARSE_ESCAPE_SEQUENCE',
  'CANNOT_PARSE_INPUT_ASSERTION_FAILED',
  'CANNOT_PARSE_NUMBER',
  'CANNOT_PARSE_TEXT',
  'CANNOT_PARSE_UUID',
  'DECIMAL_OVERFLOW',
  'INCORRECT_DATA',
  'TOO_LARGE_STRING_SIZE',
  'TYPE_MISMATCH',
  'UNKNOWN_ELEMENT_OF_ENUM',
  'VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE',
]);

export function encodeRows(clicks: readonly EnrichedClick[]): string {
  let rows = '';
  for (const click of clicks) {
    const { id, slug, at, visitor, previousVisitor, country, referrer, device, browser, isBot } = click;
    const previous = previousVisitor === undefined ? 0 : BigInt(`0x${previousVisitor}`);
    rows += `${escaped(id)}\t${escaped(slug)}\t${time(at)}\t${BigInt(`0x${visitor}`)}\t${previous}\t`;
    rows += `${escaped(country)}\t${escaped(referrer)}\t${escaped(device)}\t${escaped(browser)}\t${isBot ? 1 : 0}\n`;
  }
  return rows;
}

const SPECIAL = /[\t\n\r\\]/;
const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };

function escaped(text: string): string {
  return SPECIAL.test(text) ? text.replace(/[\t\n\r\\]/g, (character) => ESCAPES[character]!) : text;
}

let lastSecond = Number.NaN;
let lastSecondText = '';

/**
 * `2026-11-21 12:00:00.123`: ClickHouse would read small numbers as seconds. Adjacent clicks of a batch mostly share
 * their second, so we cache its text (otherwise it is most of the cost of a row).
 */
function time(at: number): string {
  const second = Math.floor(at / 1000);
  if (second !== lastSecond) {
    lastSecondText = new Date(second * 1000).toISOString().slice(0, 19).replace('T', ' ');
    lastSecond = second;
  }
  return `${lastSecondText}.${String(at - second * 1000).padStart(3, '0')}`;
}
