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
  const archive = (store: string): TableArchive => {
    const ask = async (what: string) => {
      asked.push(`${store}: ${what}`);
      if (refused.includes(`${store}: ${what}`)) throw new Error(`${store} refuses: ${what}`);
    };
    return {
      save: async () => schema,
      expectLoadable: () => ask('may load'),
      load: () => ask('load'),
      clear: () => ask('clear'),
    };
  };
  return { asked, clickhouse: archive('clickhouse'), postgres: archive('postgres') };
}

test('nothing is loaded into one store where the other would refuse', async () => {
  const both = stores(['postgres: may load']);
  await expect(restoreStores(backup, both)).rejects.toThrow('postgres refuses: may load');
  expect(both.asked).toEqual(['clickhouse: may load', 'postgres: may load']);
});

test('what made a restore fail is told, also if a store then refuses to be emptied', async () => {
  const both = stores(['postgres: load', 'clickhouse: clear']);
  await expect(restoreStores(backup, both)).rejects.toThrow('postgres refuses: load');
  expect(both.asked.slice(2)).toEqual(['clickhouse: load', 'postgres: load', 'clickhouse: clear']);
});
