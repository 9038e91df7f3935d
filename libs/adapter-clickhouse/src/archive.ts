import { Readable } from 'node:stream';
import { type ClickHouseClient, drainStream } from '@clickhouse/client';
import type { Lines, TableArchive } from '@waypost/ports';
import { CLICKS_TABLE, identifier, MIGRATION_NAMES, prepareClickHouse, schemaVersion } from './schema.ts';

/** The size of one read, and about the size of one insert. The embedded engine keeps a whole result in memory. */
const PAGE = { rows: 50_000, bytes: 5 << 20 };

/**
 * The format is TabSeparated, because ClickHouse refuses JSON that has half of a surrogate pair. A backup may or may
 * not contain the clicks that arrive while it runs.
 */
export function clickhouseArchive(client: ClickHouseClient, database: string, page = PAGE): TableArchive {
  const db = identifier(database);
  const table = `${db}.${CLICKS_TABLE}`;

  async function columnsOfClicks(): Promise<string[]> {
    const result = await client.query({
      query: `SELECT name FROM system.columns WHERE database = {database:String} AND table = {table:String}
        AND default_kind NOT IN ('ALIAS', 'MATERIALIZED') ORDER BY position`,
      query_params: { database, table: CLICKS_TABLE },
      format: 'JSONEachRow',
    });
    return (await result.json<{ name: string }>()).map(({ name }) => name);
  }

  async function* pages(columns: readonly string[]): Lines {
    let after: Readonly<Record<string, string>> | undefined;
    for (;;) {
      const result = await client.query({
        query: pageQuery(table, columns, page.rows, after !== undefined),
        ...(after && { query_params: after }),
        format: 'TabSeparated',
      });
      const text = await result.text();
      if (text === '') return;
      yield Buffer.from(text);
      after = keyOfLastRow(text, columns);
    }
  }

  async function expectEmpty(): Promise<void> {
    const result = await client.query({ query: `SELECT 1 FROM ${table} LIMIT 1`, format: 'TabSeparated' });
    if ((await result.text()) !== '') throw new Error('the click store is not empty. Restore into an empty one.');
  }

  const clear = async () => void (await client.command({ query: `TRUNCATE TABLE ${table}` }));

  return {
    async save(write) {
      const columns = await columnsOfClicks();
      const migrations = MIGRATION_NAMES.slice(0, await schemaVersion(client, db));
      await write({ name: CLICKS_TABLE, columns }, pages(columns));
      return { migrations, sequences: {} };
    },

    async expectLoadable() {
      const isThere = (await columnsOfClicks()).length > 0;
      if (isThere) await expectEmpty();
    },

    async load(_schema, tables) {
      await prepareClickHouse(client, database);
      await expectEmpty();
      try {
        for (const { name, columns, lines } of tables) {
          const query = `INSERT INTO ${db}.${identifier(name)} (${columns.map(identifier).join(', ')})
            SETTINGS async_insert = 0, input_format_parallel_parsing = 0, max_partitions_per_insert_block = 0
            FORMAT TabSeparated`;
          for await (const block of blocksOf(lines(), page.bytes)) {
            const { stream } = await client.exec({ query, values: Readable.from([block], { objectMode: false }) });
            await drainStream(stream);
          }
        }
      } catch (error) {
        await clear().catch(() => undefined);
        throw error;
      }
    },

    clear,
  };
}

/**
 * The order follows the sorting key, so the engine reads little more than one page. Stored copies of a click have the
 * same key, and the backup needs only the earliest.
 */
const pageQuery = (table: string, columns: readonly string[], rows: number, isLater: boolean) => `
SELECT ${columns.map(identifier).join(', ')} FROM ${table}
${isLater ? AFTER : ''}
ORDER BY account_id, slug, toDate(clicked_at), clicked_at, event_id, ingested_at
LIMIT 1 BY account_id, slug, clicked_at, event_id
LIMIT ${rows}
SETTINGS optimize_read_in_order = 1, max_threads = 1, max_block_size = 8192`;

const AFTER = `WHERE account_id > {account_id:UUID}
  OR (account_id = {account_id:UUID} AND slug > {slug:String})
  OR (account_id = {account_id:UUID} AND slug = {slug:String}
    AND toDate(clicked_at) > toDate({clicked_at:DateTime64(3, 'UTC')}))
  OR (account_id = {account_id:UUID} AND slug = {slug:String}
    AND toDate(clicked_at) = toDate({clicked_at:DateTime64(3, 'UTC')})
    AND (clicked_at, event_id) > ({clicked_at:DateTime64(3, 'UTC')}, {event_id:UUID}))`;

/** The values need no decoding: TabSeparated escapes no character of a slug, a time or a UUID. */
function keyOfLastRow(text: string, columns: readonly string[]) {
  const fields = text.slice(text.lastIndexOf('\n', text.length - 2) + 1, -1).split('\t');
  const field = (name: string) => fields[columns.indexOf(name)]!;
  return {
    account_id: field('account_id'),
    slug: field('slug'),
    clicked_at: field('clicked_at'),
    event_id: field('event_id'),
  };
}

async function* blocksOf(lines: Lines, bytes: number): AsyncGenerator<Buffer> {
  let chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of lines) {
    const end = chunk.lastIndexOf(10) + 1;
    if (end > 0 && size + end >= bytes) {
      yield Buffer.concat([...chunks, chunk.subarray(0, end)]);
      chunks = [chunk.subarray(end)];
      size = chunk.length - end;
    } else {
      chunks.push(chunk);
      size += chunk.length;
    }
  }
  if (size > 0) yield Buffer.concat(chunks);
}
