import { Readable } from 'node:stream';
import { createClient, type DataFormat, type InsertValues } from '@clickhouse/client';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newFolder } from '@waypost/test-support/afterwards';
import { startClickHouseFront } from '../../../scripts/engines/clickhouse-front.ts';

const front = await startClickHouseFront({ dir: newFolder() });
const url = `http://127.0.0.1:${front.port}`;
const client = createClient({ url, log: { level: 127 } });
await client.command({ query: 'CREATE DATABASE front ENGINE = Atomic' });
await client.command({ query: 'CREATE TABLE front.t (n UInt64, s String) ENGINE = MergeTree ORDER BY n' });

/** The test tool is only useful where it behaves like a server. */
describe('the HTTP front on chDB', () => {
  afterAll(async () => {
    await client.close();
    await front.stop();
  });
  const rows = async (query: string, options: object = {}) =>
    (await client.query({ query, format: 'JSONEachRow', ...options })).json();

  test('answers pings', async () => {
    expect(await client.ping()).toEqual({ success: true });
    expect(await client.ping({ select: true })).toEqual({ success: true });
  });

  const text = (line: string) => Readable.from([line], { objectMode: false });
  test.each<[DataFormat, InsertValues<Readable>]>([
    ['JSONEachRow', [{ n: 1, s: "a'\\\n" }]],
    ['JSONCompactEachRow', [[1, "a'\\\n"]]],
    ['CSV', text('1,"a\'\\\n"\n')],
    ['TabSeparated', text("1\ta'\\\\\\n\n")],
  ])('inserts %s', async (format, values) => {
    await client.command({ query: 'TRUNCATE TABLE front.t' });
    await client.insert({ table: 'front.t', values, format, columns: ['n', 's'] });
    expect(await rows('SELECT * FROM front.t')).toEqual([{ n: 1, s: "a'\\\n" }]);
  });

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

  test('binds parameters', async () => {
    const query = 'SELECT {text:String} AS text, {list:Array(UInt8)} AS list';
    const query_params = { text: "it's \\ \t\n", list: [1, 2] };
    expect(await rows(query, { query_params })).toEqual([query_params]);
  });

  test('each request has its own session', async () => {
    await client.command({ query: 'CREATE TEMPORARY TABLE mine (n UInt8)' });
    await expect(rows('SELECT n FROM mine')).rejects.toMatchObject({ type: 'UNKNOWN_TABLE' });
  });

  test('reports errors by status and type', async () => {
    await expect(rows('SELEC 1')).rejects.toMatchObject({ code: '62', type: 'SYNTAX_ERROR' });
    await expect(rows('SELECT 1', { clickhouse_settings: { no_such_setting: 1 } })).rejects.toMatchObject({
      code: '115',
    });
    const answer = await fetch(`${url}/?query=SELECT+*+FROM+nowhere`);
    expect([answer.status, answer.headers.get('x-clickhouse-exception-code')]).toEqual([404, '60']);
  });

  test('reads statements from the address, the body or both, with the database of the request', async () => {
    expect(await (await fetch(`${url}/?query=SELECT+1`)).text()).toBe('1\n');
    expect(await (await fetch(url, { method: 'POST', body: 'SELECT 2 FORMAT CSV' })).text()).toBe('2\n');
    const insert = `${url}/?database=front&query=${encodeURIComponent('INSERT INTO t FORMAT CSV')}`;
    await fetch(insert, { method: 'POST', body: '77,"x"\n' });
    expect(await rows('SELECT s FROM front.t WHERE n = 77')).toEqual([{ s: 'x' }]);
  });

  test('serves thirty concurrent callers', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => rows('SELECT {n:UInt8} AS n', { query_params: { n } })),
    );
    expect(answers).toEqual(Array.from({ length: 30 }, (_, n) => [{ n }]));
  });
});
