import { expect, test } from '@jest/globals';
import type { LinkArchive, Revised } from '@waypost/ports';
import { type Backup, restoreStores } from './stores.ts';

const schema = { migrations: [], sequences: {} };
const backup = {
  dir: '/backup',
  manifest: { format: 1, made_at: '', schemas: { clickhouse: schema, postgres: schema }, files: [] },
} as unknown as Backup;

function stores(refused: readonly string[]) {
  const calls: string[] = [];
  const full = new Set<string>();
  const archive = (store: string): LinkArchive => {
    const ask = async (what: string) => {
      calls.push(`${store}: ${what}`);
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
      saveRevoked: async () => 0,
      async revise() {
        await ask('revise');
        return {} as Revised;
      },
    };
  };
  return { calls, clickhouse: archive('clickhouse'), postgres: archive('postgres') };
}

const NO_CHANGE = { deleteKeys: false, webhooksOff: false };

test('nothing is loaded if one of the stores would refuse', async () => {
  const both = stores(['postgres: may load']);
  await expect(restoreStores(backup, both, NO_CHANGE)).rejects.toThrow('postgres refuses: may load');
  expect(both.calls).toEqual(['clickhouse: may load', 'postgres: may load']);
});

test.each(['load', 'revise'])('a restore that fails (%s) leaves both stores empty', async (step) => {
  const both = stores([`postgres: ${step}`]);
  await expect(restoreStores(backup, both, NO_CHANGE)).rejects.toThrow(`postgres refuses: ${step}`);
  for (const store of [both.clickhouse, both.postgres]) await store.expectLoadable(schema);
});

test('the error names first why the restore failed, then which store could not be cleared', async () => {
  const both = stores(['postgres: load', 'clickhouse: clear']);
  await expect(restoreStores(backup, both, NO_CHANGE)).rejects.toThrow(
    /^postgres refuses: load; clickhouse is not empty$/,
  );
});
