import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { clickhouseClickPurge, clickhouseClickSink } from '../src/index.ts';
import { openedEngine, preparedStore, startOverHttp } from './engines.ts';
import { clickAt, dayAgo } from './some-clicks.ts';

const unexpected = (error: unknown) => {
  throw error;
};

describe('clickhouseClickPurge', () => {
  const engine = openedEngine(startOverHttp, preparedStore);
  const { rows } = engine;
  const purge = (slugs: readonly string[]) => clickhouseClickPurge(engine.client, 'waypost', unexpected).purge(slugs);

  test('deletes the clicks of these links from the disk, of every month, and no others', async () => {
    const sink = clickhouseClickSink(engine.client, 'waypost');
    await sink.store(
      ['gone-1', 'gone_2', 'kept'].flatMap((slug) => [0, 40, 80].map((age) => clickAt(slug, dayAgo(age)))),
    );
    const many = Array.from({ length: 9_000 }, (_, i) => `${'x'.repeat(44)}${i}`);
    await purge([...many, 'gone-1', 'gone_2', "not a slug' OR 1"]);
    for (let tries = 0; tries < 100; tries++) {
      const [pending] = await rows(
        "SELECT count() AS n FROM system.mutations WHERE database = 'waypost' AND NOT is_done",
      );
      if (Number(pending!.n) === 0) break;
      await setTimeout(100);
    }
    expect(await rows('SELECT slug, count() AS clicks FROM waypost.clicks GROUP BY slug')).toEqual([
      { slug: 'kept', clicks: 3 },
    ]);
    // A row that is only hidden would still be in its part.
    const [parts] = await rows(
      "SELECT sum(rows) AS n FROM system.parts WHERE database = 'waypost' AND table = 'clicks' AND active",
    );
    expect(Number(parts!.n)).toBe(3);
  });

  test('starts no mutation when the links have no clicks', async () => {
    const mutations = () => rows("SELECT count() AS n FROM system.mutations WHERE database = 'waypost'");
    const before = await mutations();
    await purge(['nobody-clicked']);
    expect(await mutations()).toEqual(before);
  });

  test('keeps clicks until they expire in a table without mutations, and reports that once', async () => {
    await engine.client.command({ query: 'CREATE DATABASE fixed ENGINE = Atomic' });
    await engine.client.command({ query: "CREATE TABLE fixed.clicks ENGINE = Log AS SELECT 'kept' AS slug" });
    const refusals: unknown[] = [];
    const fixed = clickhouseClickPurge(engine.client, 'fixed', (error) => refusals.push(error));
    for (const _attempt of [1, 2]) await fixed.purge(['kept']);
    expect(refusals).toEqual([expect.objectContaining({ type: 'NOT_IMPLEMENTED' })]);
    expect(await rows('SELECT slug FROM fixed.clicks')).toEqual([{ slug: 'kept' }]);
  });
});
