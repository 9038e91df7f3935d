import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { within } from '@waypost/test-support';
import { clickhouseClickSink, prepareClickHouse } from '../src/index.ts';
import { openedEngine, startOverHttp } from './engines.ts';
import { clickAt, dayAgo } from './some-clicks.ts';

describe('prepareClickHouse', () => {
  const engine = openedEngine(startOverHttp);
  const { rows } = engine;

  test('several processes may prepare an empty store at the same time', async () => {
    await Promise.all(Array.from({ length: 4 }, () => prepareClickHouse(engine.client, 'waypost')));
    expect(await rows('SELECT version FROM waypost.migrations FINAL ORDER BY version')).toEqual([{ version: 1 }]);
    expect(await rows('SELECT count() AS clicks FROM waypost.clicks')).toEqual([{ clicks: 0 }]);
  });

  test('a second call changes nothing and is quick', async () => {
    const before = await rows('SELECT * FROM waypost.migrations FINAL');
    await within(500, () => prepareClickHouse(engine.client, 'waypost'));
    expect(await rows('SELECT * FROM waypost.migrations FINAL')).toEqual(before);
  });

  test('anything but a plain database name is refused', async () => {
    await expect(prepareClickHouse(engine.client, 'a`; DROP DATABASE waypost')).rejects.toThrow(
      'not a ClickHouse name',
    );
  });

  test('merges drop clicks older than the retention and keep the others', async () => {
    await prepareClickHouse(engine.client, 'retention');
    const sink = clickhouseClickSink(engine.client, 'retention');
    await sink.store([
      clickAt('old', dayAgo(140)),
      clickAt('old', dayAgo(101)),
      clickAt('kept', dayAgo(99)),
      clickAt('kept', dayAgo(0)),
    ]);
    await engine.client.command({ query: 'OPTIMIZE TABLE retention.clicks FINAL' });
    expect(await rows('SELECT slug, count() AS clicks FROM retention.clicks GROUP BY slug')).toEqual([
      { slug: 'kept', clicks: 2 },
    ]);
  });

  test('a cluster with an earlier version of the schema is refused', async () => {
    await prepareClickHouse(engine.client, 'cluster');
    for (const query of [
      'RENAME TABLE cluster.clicks TO cluster.clicks_local',
      // CREATE would need a cluster, and this engine has none.
      `ATTACH TABLE cluster.clicks UUID '${randomUUID()}' (slug String, visitor_hash UInt64)
       ENGINE = Distributed('waypost', 'cluster', 'clicks_local')`,
    ])
      await engine.client.command({ query });
    await prepareClickHouse(engine.client, 'cluster');
    await engine.client.command({ query: 'TRUNCATE TABLE cluster.migrations' });
    await expect(prepareClickHouse(engine.client, 'cluster')).rejects.toThrow('Run deploy/clickhouse/cluster.sql');
    expect(await rows('SELECT version FROM cluster.migrations')).toEqual([]);
  });
});
