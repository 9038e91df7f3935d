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
      const values = Readable.from([encodeRows(clicks)], { objectMode: false });
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
const ROW_REFUSED: ReadonlySet<string> = new Set(
  `ARGUMENT_OUT_OF_BOUND CANNOT_PARSE_BOOL CANNOT_PARSE_DATE CANNOT_PARSE_DATETIME CANNOT_PARSE_ESCAPE_SEQUENCE
   CANNOT_PARSE_INPUT_ASSERTION_FAILED CANNOT_PARSE_NUMBER CANNOT_PARSE_TEXT CANNOT_PARSE_UUID DECIMAL_OVERFLOW
   INCORRECT_DATA TOO_LARGE_STRING_SIZE TYPE_MISMATCH UNKNOWN_ELEMENT_OF_ENUM
   VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE`.split(/\s+/),
);

/** Building one large text and then its bytes costs twice the time. */
const CHUNK_CHARACTERS = 8_192;

function encodeRows(clicks: readonly EnrichedClick[]): Buffer {
  const chunks: Buffer[] = [];
  let rows = '';
  for (const click of clicks) {
    const { id, slug, at, visitor, previousVisitor, country, referrer, device, browser, isBot } = click;
    const previous = previousVisitor === undefined ? 0 : numberOf(previousVisitor);
    rows += `${escaped(id)}\t${escaped(slug)}\t${time(at)}\t${numberOf(visitor)}\t${previous}\t${escaped(country)}\t${escaped(referrer)}\t${escaped(device)}\t${escaped(browser)}\t${isBot ? 1 : 0}\n`;
    if (rows.length < CHUNK_CHARACTERS) continue;
    chunks.push(Buffer.from(rows));
    rows = '';
  }
  chunks.push(Buffer.from(rows));
  return Buffer.concat(chunks);
}

const digits = new DataView(new ArrayBuffer(8));

/** 16 hex digits as a number, in half the time that `BigInt` takes to read them. */
function numberOf(hash: string): bigint {
  digits.setUint32(0, Number.parseInt(hash.slice(0, 8), 16));
  digits.setUint32(4, Number.parseInt(hash.slice(8), 16));
  return digits.getBigUint64(0);
}

const SPECIAL = /[\t\n\r\\]/;
const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };

function escaped(text: string): string {
  return SPECIAL.test(text) ? text.replace(/[\t\n\r\\]/g, (character) => ESCAPES[character]!) : text;
}

/** Seconds since 1970 with a fraction. ClickHouse takes ten digits before the point for that, and fewer for a year. */
function time(at: number): string {
  const text = String(at).padStart(13, '0');
  return `${text.slice(0, -3)}.${text.slice(-3)}`;
}
