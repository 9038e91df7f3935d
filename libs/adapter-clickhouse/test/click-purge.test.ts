import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { clickhouseClickPurge, clickhouseClickSink } from '../src/index.ts';
import { openedEngine, preparedStore, startOverHttp } from './engines.ts';
import { ACCOUNT, clickAt, dayAgo } from './some-clicks.ts';

const GONE = '0193a5d0-7c1e-4abc-8def-00000000000a';

const unexpected = (error: unknown) => {
  throw error;
};

describe('clickhouseClickPurge', () => {
  const engine = openedEngine(startOverHttp, preparedStore);
  const { rows } = engine;
  const purge = (account: string) => clickhouseClickPurge(engine.client, 'waypost', unexpected).purge(account);

  test('deletes the clicks of this account from the disk, of every month, and no others', async () => {
    const sink = clickhouseClickSink(engine.client, 'waypost');
    const clicksOf = (slug: string, accountId: string) =>
      [0, 40, 80].map((age) => clickAt(slug, dayAgo(age), { accountId }));
    await sink.store([...clicksOf('gone-1', GONE), ...clicksOf('gone_2', GONE), ...clicksOf('kept', ACCOUNT)]);
    await purge(GONE);
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

  test('starts no mutation when the account has no clicks', async () => {
    const mutations = () => rows("SELECT count() AS n FROM system.mutations WHERE database = 'waypost'");
    const before = await mutations();
    await purge('0193a5d0-7c1e-4abc-8def-00000000000c');
    expect(await mutations()).toEqual(before);
  });

  test('keeps clicks until they expire in a table without mutations, and reports that once', async () => {
    await engine.client.command({ query: 'CREATE DATABASE fixed ENGINE = Atomic' });
    await engine.client.command({
      query: `CREATE TABLE fixed.clicks ENGINE = Log AS SELECT 'kept' AS slug, toUUID('${GONE}') AS account_id`,
    });
    const refusals: unknown[] = [];
    const fixed = clickhouseClickPurge(engine.client, 'fixed', (error) => refusals.push(error));
    for (const _attempt of [1, 2]) await fixed.purge(GONE);
    expect(refusals).toEqual([expect.objectContaining({ type: 'NOT_IMPLEMENTED' })]);
    expect(await rows('SELECT slug FROM fixed.clicks')).toEqual([{ slug: 'kept' }]);
  });
});
