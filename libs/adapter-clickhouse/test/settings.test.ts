import { describe, expect, test } from '@jest/globals';
import { within } from '@waypost/test-support';
import { clickHouseHealth } from '../src/index.ts';
import { ENGINES, openedEngine, preparedStore } from './engines.ts';

/** chDB's own connection fails the first three tests, because it keeps the settings of one call for later calls. */
describe.each(ENGINES)('ClickHouse client: %s', (_, start) => {
  const engine = openedEngine(start, async (client) => {
    await preparedStore(client);
    await client.command({
      query: `CREATE TABLE waypost.leaks (n UInt64) ENGINE = MergeTree ORDER BY n
              SETTINGS non_replicated_deduplication_window = 100`,
    });
  });
  const { rows } = engine;
  const insert = (values: readonly { n: number }[], insert_deduplication_token?: string) =>
    engine.client.insert({
      table: 'waypost.leaks',
      values,
      format: 'JSONEachRow',
      clickhouse_settings: { async_insert: 0, ...(insert_deduplication_token && { insert_deduplication_token }) },
    });

  test('a deduplication token applies only to its own insert', async () => {
    await insert([{ n: 1 }], 'token');
    await insert([{ n: 2 }]);
    await insert([{ n: 3 }], 'token');
    await insert([{ n: 4 }]);
    expect(await rows('SELECT n FROM waypost.leaks ORDER BY n')).toEqual([1, 2, 4].map((n) => ({ n })));
  });

  test('a time limit applies only to its own query', async () => {
    const limited = engine.client.query({
      query: 'SELECT sleepEachRow(0.4) FROM numbers(5) SETTINGS max_block_size = 1',
      clickhouse_settings: { max_execution_time: 1 },
    });
    await expect(limited.then((result) => result.text())).rejects.toMatchObject({ type: 'TIMEOUT_EXCEEDED' });
    expect(await rows("SELECT getSetting('max_execution_time') AS seconds")).toEqual([{ seconds: 0 }]);
  });

  test('settings in the text of a statement end with it', async () => {
    await rows('SELECT 1 SETTINGS max_execution_time = 7, max_threads = 1');
    expect(await rows("SELECT getSetting('max_execution_time') AS seconds")).toEqual([{ seconds: 0 }]);
  });

  test('statements run concurrently, even with bound parameters', async () => {
    await within(1_900, async () => {
      const answers = await Promise.all(
        ['a', 'b', 'c'].map((text) => rows('SELECT sleep(0.8) AS slept, {text:String} AS text', { text })),
      );
      expect(answers.map(([row]) => row?.text)).toEqual(['a', 'b', 'c']);
    });
  });

  test.each(["'", '\\', "\\'", 'tab\tnewline\nreturn\r', '\\N', '{text:String}', '😀 é', ''])(
    'binds %j unchanged',
    async (text) => {
      expect(await rows('SELECT {text:String} AS text, length({text:String}) AS bytes', { text })).toEqual([
        { text, bytes: Buffer.byteLength(text) },
      ]);
    },
  );

  test('an error has its code and type, and the next statement succeeds', async () => {
    await expect(rows('SELECT * FROM waypost.nothing')).rejects.toMatchObject({ code: '60', type: 'UNKNOWN_TABLE' });
    expect(await rows('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('is healthy', async () => {
    expect(await clickHouseHealth(engine.client)).toEqual({ ok: true });
  });
});
