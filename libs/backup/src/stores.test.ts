import { expect, test } from '@jest/globals';
import type { TableArchive } from '@waypost/ports';
import { type Backup, restoreStores } from './stores.ts';

const schema = { migrations: [], sequences: {} };
const backup = {
  dir: '/backup',
  manifest: { format: 1, made_at: '', schemas: { clickhouse: schema, postgres: schema }, files: [] },
} as unknown as Backup;

/** Two stores that write down what is asked of them, and refuse some of it. */
function stores(refused: readonly string[]) {
  const asked: string[] = [];
  const full = new Set<string>();
  const archive = (store: string): TableArchive => {
    const ask = async (what: string) => {
      asked.push(`${store}: ${what}`);
      if (refused.includes(`${store}: ${what}`)) throw new Error(`${store} refuses: ${what}`);
    };
    return {
      save: async () => schema,
      async expectLoadable() {
        await ask('may load');
        if (full.has(store)) throw new Error(`${store} is not empty`);
      },
      async load() {
        await ask('load');
        full.add(store);
      },
      async clear() {
        await ask('clear');
        full.delete(store);
      },
    };
  };
  return { asked, clickhouse: archive('clickhouse'), postgres: archive('postgres') };
}

test('nothing is loaded into one store where the other would refuse', async () => {
  const both = stores(['postgres: may load']);
  await expect(restoreStores(backup, both)).rejects.toThrow('postgres refuses: may load');
  expect(both.asked).toEqual(['clickhouse: may load', 'postgres: may load']);
});

test('a restore that fails leaves both stores empty', async () => {
  const both = stores(['postgres: load']);
  await expect(restoreStores(backup, both)).rejects.toThrow(/^postgres refuses: load$/);
  await both.clickhouse.expectLoadable(schema);
});

test('what made a restore fail is told first, then that a store refuses to be emptied', async () => {
  const both = stores(['postgres: load', 'clickhouse: clear']);
  await expect(restoreStores(backup, both)).rejects.toThrow(/^postgres refuses: load; clickhouse is not empty$/);
});
