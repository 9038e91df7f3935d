import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import type { ArchivedTable } from '@waypost/ports';
import { clickhouseArchive, clickhouseClickSink, clickhouseClickStats, prepareClickHouse } from '../src/index.ts';
import { ENGINES, openedEngine } from './engines.ts';
import { clickAt, dayAgo, hourOf, linkOf, range90 } from './some-clicks.ts';

describe.each(ENGINES)('%s', (_, start) => {
  const engine = openedEngine(start);
  const page = { rows: 500, bytes: 50_000 };

  test('clicks are restored unchanged and once each, in pages and blocks', async () => {
    const { client } = engine;
    for (const database of ['source', 'target']) await prepareClickHouse(client, database);
    // This fails when there is a new table. The archive must then save it, too.
    expect(await engine.rows("SELECT name FROM system.tables WHERE database = 'source' ORDER BY name")).toEqual([
      { name: 'clicks' },
      { name: 'migrations' },
    ]);
    const visitor = '00000000000000aa';
    const odd = [
      clickAt('Odd-slug_1', dayAgo(40), { referrer: 'tab\t back\\ new\nline ü', browser: '', visitor }),
      // After a rotation of the secret, this visitor has two hashes.
      clickAt('Odd-slug_1', dayAgo(4), { previousVisitor: visitor }),
    ];
    const many = Array.from({ length: 1_200 }, (_, i) =>
      clickAt(i % 3 === 0 ? 'busy' : `s${i % 7}`, dayAgo(i % 90) + hourOf(i % 24) + (i % 5), { isBot: i % 10 === 0 }),
    );
    const sink = clickhouseClickSink(client, 'source');
    await sink.store([...odd, ...many.slice(0, 600)]);
    await sink.store(many.slice(600));
    await sink.store(many.slice(0, 200));

    let saved = '';
    let table: ArchivedTable | undefined;
    const schema = await clickhouseArchive(client, 'source', page).save(async (saving, lines) => {
      table = saving;
      saved = await text(lines);
    });
    expect(schema).toEqual({ migrations: ['1'], sequences: {} });
    const ids = saved
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t')[table!.columns.indexOf('event_id')]);
    expect(ids).toHaveLength(1_202);
    expect(new Set(ids).size).toBe(1_202);

    await clickhouseArchive(client, 'nowhere').expectLoadable(schema);
    const target = clickhouseArchive(client, 'target', page);
    await target.expectLoadable(schema);
    const tables = [{ ...table!, lines: () => Readable.from(chunksOf(saved), { objectMode: false }) }];
    await target.load(schema, tables);
    for (const slug of ['busy', 's1', 'Odd-slug_1']) {
      const [before, after] = await Promise.all(
        ['source', 'target'].map((database) =>
          clickhouseClickStats(client, database).figures(linkOf(slug), range90(), 'include'),
        ),
      );
      expect(after).toEqual(before);
      if (slug === 'Odd-slug_1') expect(after!.unique_visitors).toBe(1);
      expect(after!.total_clicks).toBeGreaterThan(0);
    }
    for (const refused of [() => target.load(schema, tables), () => target.expectLoadable(schema)])
      await expect(refused()).rejects.toThrow('the click store is not empty. Restore into an empty one.');
    await target.clear();
    const bad = [{ ...table!, lines: () => Readable.from([Buffer.from(`${saved.slice(0, 200)}\nno row\n`)]) }];
    await expect(target.load(schema, bad)).rejects.toThrow();
    await target.load(schema, tables);
  });
});

function* chunksOf(whole: string): Generator<Buffer> {
  const bytes = Buffer.from(whole);
  for (let at = 0; at < bytes.length; at += 3_001) yield bytes.subarray(at, at + 3_001);
}
