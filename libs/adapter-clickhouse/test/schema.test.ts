import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { clickAt, dayAgo } from '../../ports/src/contract/some-clicks.ts';
import { clickhouseClickSink, prepareClickHouse } from '../src/index.ts';
import { ENGINES, type Engine } from './engines.ts';

describe.each(ENGINES)('prepareClickHouse: %s', (_, start) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await start();
  });
  afterAll(() => engine?.stop());
  const rows = async (query: string) =>
    (await engine.client.query({ query, format: 'JSONEachRow' })).json<Record<string, unknown>>();

  test('several processes may prepare an empty store at once', async () => {
    await Promise.all(Array.from({ length: 4 }, () => prepareClickHouse(engine.client, 'waypost')));
    expect(await rows('SELECT version FROM waypost.migrations FINAL')).toEqual([{ version: 1 }]);
    expect(await rows('SELECT count() AS clicks FROM waypost.clicks')).toEqual([{ clicks: 0 }]);
  });

  test('preparing again changes nothing and is quick', async () => {
    const before = await rows('SELECT * FROM waypost.migrations FINAL');
    const startedAt = performance.now();
    await prepareClickHouse(engine.client, 'waypost');
    expect(performance.now() - startedAt).toBeLessThan(500);
    expect(await rows('SELECT * FROM waypost.migrations FINAL')).toEqual(before);
  });

  test('a database name is a name, or it is refused', async () => {
    await expect(prepareClickHouse(engine.client, 'a`; DROP DATABASE waypost')).rejects.toThrow(
      'not a ClickHouse name',
    );
  });

  test('clicks older than the retention go when parts are merged, the others stay', async () => {
    await prepareClickHouse(engine.client, 'retention');
    const sink = clickhouseClickSink(engine.client, 'retention');
    await sink.store([clickAt('old', dayAgo(140)), clickAt('kept', dayAgo(95)), clickAt('kept', dayAgo(0))]);
    await engine.client.command({ query: 'OPTIMIZE TABLE retention.clicks FINAL' });
    expect(await rows('SELECT slug, count() AS clicks FROM retention.clicks GROUP BY slug')).toEqual([
      { slug: 'kept', clicks: 2 },
    ]);
  });

  test('copies of a click are folded when parts are merged', async () => {
    await prepareClickHouse(engine.client, 'folded');
    const sink = clickhouseClickSink(engine.client, 'folded');
    const click = clickAt('copied', dayAgo(1));
    for (let i = 0; i < 4; i++) await sink.store([click, clickAt('copied', dayAgo(1))]);
    await engine.client.command({ query: 'OPTIMIZE TABLE folded.clicks FINAL' });
    expect(await rows('SELECT count() AS clicks FROM folded.clicks')).toEqual([{ clicks: 5 }]);
  });
});
