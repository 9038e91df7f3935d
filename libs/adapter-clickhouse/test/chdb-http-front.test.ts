import { type ClickHouseClient, createClient } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type FrontProcess, startFront } from './front-process.ts';

/** The test tool is only useful where it behaves like a server. */
describe('the HTTP front on chDB', () => {
  let front: FrontProcess;
  let client: ClickHouseClient;
  beforeAll(async () => {
    front = await startFront();
    client = createClient({
      url: front.url,
      compression: { request: true, response: true },
      log: { level: 127 },
    });
    await client.command({ query: 'CREATE DATABASE front ENGINE = Atomic' });
    await client.command({ query: 'CREATE TABLE front.t (n UInt64, s String) ENGINE = MergeTree ORDER BY n' });
  });
  afterAll(async () => {
    await client?.close();
    await front?.stop();
  });
  const rows = async (query: string, options: object = {}) =>
    (await client.query({ query, format: 'JSONEachRow', ...options })).json();

  test('answers pings', async () => {
    expect(await client.ping()).toEqual({ success: true });
    expect(await client.ping({ select: true })).toEqual({ success: true });
  });

  test.each(['JSONEachRow', 'JSONCompactEachRow', 'CSV', 'TabSeparated'] as const)(
    'inserts %s, gzipped',
    async (format) => {
      const values = format.startsWith('JSON')
        ? [format === 'JSONEachRow' ? { n: 1, s: "a'\\\n" } : [1, "a'\\\n"]]
        : (await import('node:stream')).Readable.from([format === 'CSV' ? '1,"a\'\\\n"\n' : "1\ta'\\\\\\n\n"], {
            objectMode: false,
          });
      await client.command({ query: 'TRUNCATE TABLE front.t' });
      await client.insert({ table: 'front.t', values, format, columns: ['n', 's'] });
      expect(await rows('SELECT * FROM front.t')).toEqual([{ n: 1, s: "a'\\\n" }]);
    },
  );

  test('streams a long response to a slow reader', async () => {
    const result = await client.query({ query: 'SELECT number AS n FROM numbers(300000)', format: 'JSONEachRow' });
    let count = 0;
    for await (const chunk of result.stream()) {
      count += chunk.length;
      if (count < 50_000) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(count).toBe(300_000);
  });

  test('an error in the middle of a stream reaches the reader', async () => {
    const result = await client.query({
      query: "SELECT throwIf(number = 250000, 'in the middle') FROM numbers(1000000) SETTINGS max_block_size = 1000",
      format: 'JSONEachRow',
    });
    await expect(
      (async () => {
        for await (const _ of result.stream()) {
          // continues reading
        }
      })(),
    ).rejects.toThrow('in the middle');
  });

  test('binds parameters in the address and in a multipart body', async () => {
    const query = 'SELECT {text:String} AS text, {list:Array(UInt8)} AS list';
    const query_params = { text: "it's \\ \t\n", list: [1, 2] };
    expect(await rows(query, { query_params })).toEqual([query_params]);
    expect(await rows(query, { query_params, use_multipart_params: true })).toEqual([query_params]);
    const long = 'x'.repeat(100_000);
    expect(
      await rows('SELECT length({long:String}) AS n', { query_params: { long }, use_multipart_params: true }),
    ).toEqual([{ n: 100_000 }]);
  });

  test('a session keeps its settings and tables, which others do not see', async () => {
    await client.command({ query: 'CREATE TEMPORARY TABLE mine (n UInt8)', session_id: 'one' });
    await client.command({ query: 'INSERT INTO mine VALUES (5)', session_id: 'one' });
    expect(await rows('SELECT n FROM mine', { session_id: 'one' })).toEqual([{ n: 5 }]);
    await expect(rows('SELECT n FROM mine', { session_id: 'two' })).rejects.toMatchObject({ type: 'UNKNOWN_TABLE' });
    await expect(rows('SELECT n FROM mine')).rejects.toMatchObject({ type: 'UNKNOWN_TABLE' });
  });

  test('reports errors by status and type', async () => {
    await expect(rows('SELEC 1')).rejects.toMatchObject({ code: '62', type: 'SYNTAX_ERROR' });
    await expect(rows('SELECT 1', { clickhouse_settings: { no_such_setting: 1 } })).rejects.toMatchObject({
      code: '115',
    });
    const answer = await fetch(`${front.url}/?query=SELECT+*+FROM+nowhere`);
    expect([answer.status, answer.headers.get('x-clickhouse-exception-code')]).toEqual([404, '60']);
  });

  test('reads statements from the address, the body or both, with the database of the request', async () => {
    expect(await (await fetch(`${front.url}/?query=SELECT+1`)).text()).toBe('1\n');
    expect(await (await fetch(front.url, { method: 'POST', body: 'SELECT 2 FORMAT CSV' })).text()).toBe('2\n');
    const url = `${front.url}/?database=front&query=${encodeURIComponent('INSERT INTO t FORMAT CSV')}`;
    await fetch(url, { method: 'POST', body: '77,"x"\n' });
    expect(await rows('SELECT s FROM front.t WHERE n = 77')).toEqual([{ s: 'x' }]);
  });

  test('serves thirty concurrent callers', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => rows('SELECT {n:UInt8} AS n', { query_params: { n } })),
    );
    expect(answers).toEqual(Array.from({ length: 30 }, (_, n) => [{ n }]));
  });
});
