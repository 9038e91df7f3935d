/**
 * The tables of deploy/clickhouse/cluster.sql, without replicas. The engine reaches only itself, so a cluster of two
 * shards has the same shard twice, and every figure is twice what it would be.
 */
import fs from 'node:fs';
import path from 'node:path';
import { createClient } from '@clickhouse/client';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Engine } from '@waypost/engines';
import { startClickHouseFront } from '@waypost/engines/clickhouse-front';
import { afterwards, newFolder } from '@waypost/test-support/afterwards';
import {
  clickhouseClickSink,
  clickhouseClickStats,
  clickhouseStoredClicks,
  connectClickHouse,
  prepareClickHouse,
} from '../src/index.ts';
import { ACCOUNT, clickAt, linkOf, range7 } from './some-clicks.ts';

const TABLES = new URL('../../../deploy/clickhouse/cluster.sql', import.meta.url);
const shard = (port: number) => `<shard><replica><host>127.0.0.1</host><port>${port}</port></replica></shard>`;
const CONFIG = `<clickhouse><tcp_port>9000</tcp_port><remote_servers>
  <waypost>${shard(9000)}${shard(9000)}</waypost><away>${shard(9000)}${shard(1)}</away>
</remote_servers></clickhouse>`;

let front: Engine;
let client: ReturnType<typeof connectClickHouse>;
beforeAll(async () => {
  const dir = newFolder();
  const config = path.join(dir, 'config.xml');
  fs.writeFileSync(config, CONFIG);
  front = await startClickHouseFront({ dir, config });
  client = connectClickHouse({ url: `http://127.0.0.1:${front.port}` });
});
afterAll(async () => {
  await client?.close();
  await front?.stop();
});

/** Creates the tables as this database, on this cluster. */
async function createTables(database: string, cluster: string): Promise<void> {
  const statements = fs
    .readFileSync(TABLES, 'utf8')
    .replaceAll(/^--.*$/gm, '')
    .replaceAll(" ON CLUSTER 'waypost'", '')
    .replaceAll(/ReplicatedReplacingMergeTree\('[^']*', '[^']*'(, )?/g, 'ReplacingMergeTree(')
    .replaceAll('`waypost`', database)
    .replace("Distributed('waypost', 'waypost'", `Distributed('${cluster}', '${database}'`)
    .split(/;\s*$/m)
    .map((statement) => statement.trim());
  for (const query of statements.filter((each) => /^(CREATE (DATABASE|TABLE)|INSERT)/.test(each)))
    await client.command({ query });
}

test('a batch that arrives again counts once, in every figure', async () => {
  await createTables('whole', 'waypost');
  await prepareClickHouse(client, 'whole'); // accepts the tables
  const sink = clickhouseClickSink(client, 'whole');
  const batch = [clickAt('x', Date.now()), clickAt('x', Date.now()), clickAt('y', Date.now())];
  await sink.store(batch);
  await sink.store(batch);
  const stats = clickhouseClickStats(client, 'whole');
  expect(await stats.figures(linkOf('x'), range7(), 'include')).toMatchObject({ total_clicks: 4, unique_visitors: 2 });
  expect(await stats.accountFigures(ACCOUNT, range7(), 'include')).toMatchObject({
    total_clicks: 6,
    unique_visitors: 3,
    links: [
      { slug: 'x', clicks: 4 },
      { slug: 'y', clicks: 2 },
    ],
  });
});

test('without one shard, clicks are not accepted and figures are unavailable instead of partial, even if the server would skip the shard', async () => {
  await createTables('partial', 'away');
  const batch = Array.from({ length: 20 }, (_, i) => clickAt(`slug-${i}`, Date.now()));
  const away = { code: 'unavailable', cause: { type: 'NETWORK_ERROR' } };
  await expect(clickhouseClickSink(client, 'partial').store(batch)).rejects.toMatchObject(away);
  await clickhouseClickSink(client, 'whole').store(batch);
  await client.command({ query: 'INSERT INTO partial.clicks_local SELECT * FROM whole.clicks_local' });

  const skipping = createClient({
    url: `http://127.0.0.1:${front.port}`,
    clickhouse_settings: { skip_unavailable_shards: 1 },
  });
  afterwards(() => skipping.close());
  const part = await skipping.query({ query: 'SELECT count() > 0 AS some FROM partial.clicks' });
  expect((await part.json()).data).toEqual([{ some: 1 }]);
  const stats = clickhouseClickStats(skipping, 'partial');
  await expect(stats.figures(linkOf('slug-1'), range7(), 'include')).rejects.toMatchObject(away);
  await expect(stats.accountFigures(ACCOUNT, range7(), 'include')).rejects.toMatchObject(away);
  await expect(clickhouseStoredClicks(skipping, 'partial', 0).accountsSince(0)).rejects.toMatchObject(away);
});
