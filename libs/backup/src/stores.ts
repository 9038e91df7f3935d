import path from 'node:path';
import type { Lines, TableArchive } from '@waypost/ports';
import type { BackupSummary } from './commands.ts';
import { type BackupFiles, BackupRefused, contentOf, type Manifest, readManifest, writeFiles } from './files.ts';

export interface Stores {
  readonly clickhouse: TableArchive;
  readonly postgres: TableArchive;
}

export type KnownMigrations = Readonly<Record<keyof Stores, readonly string[]>>;

const STORES = ['clickhouse', 'postgres'] as const;
const FOLDER = 'folder';

export interface Backup {
  readonly dir: string;
  readonly manifest: Manifest;
  readonly summary: BackupSummary;
  readonly folder: readonly { readonly name: string; readonly content: () => Lines }[];
}

/**
 * Saves clicks before links, so that the link of each click is in the backup. PostgreSQL saves a snapshot of one
 * moment; the last few clicks before it may be missing.
 */
export async function writeBackup(
  dir: string,
  now: Date,
  stores: Stores,
  addFolder: (add: (name: string, content: Lines) => Promise<void>) => Promise<void> = async () => {},
): Promise<BackupSummary> {
  const manifest = await writeFiles(dir, now, async ({ add }) => {
    await addFolder((name, content) => add(`${FOLDER}/${name}`, content));
    const clickhouse = await saveStore(add, 'clickhouse', stores);
    return { clickhouse, postgres: await saveStore(add, 'postgres', stores) };
  });
  return summaryOf(manifest);
}

const saveStore = (add: BackupFiles['add'], store: keyof Stores, stores: Stores) =>
  stores[store].save(({ name, columns }, lines) => add(`${store}/${name}.tsv`, lines, columns));

/** Throws `BackupRefused` unless this version can restore the whole backup. */
export async function openBackup(dir: string, migrations: KnownMigrations): Promise<Backup> {
  const manifest = await readManifest(dir);
  for (const store of STORES) {
    const newer = manifest.schemas[store].migrations.find((migration) => !migrations[store].includes(migration));
    if (newer !== undefined)
      throw new BackupRefused(`${dir} is of a newer version of Waypost: its schema of ${store} has ${newer}`);
  }
  const folder = manifest.files
    .filter(({ name }) => name.startsWith(`${FOLDER}/`))
    .map(({ name }) => ({ name: name.slice(FOLDER.length + 1), content: () => contentOf(dir, name) }));
  return { dir, manifest, summary: summaryOf(manifest), folder };
}

/** Loads into empty stores. If it rejects, they are empty again, or the error names each store that is not. */
export async function restoreStores({ dir, manifest }: Backup, stores: Stores): Promise<void> {
  for (const store of STORES) await stores[store].expectLoadable(manifest.schemas[store]);
  const loaded: TableArchive[] = [];
  try {
    for (const store of STORES) {
      await stores[store].load(manifest.schemas[store], tablesOf(dir, manifest, store));
      loaded.push(stores[store]);
    }
  } catch (error) {
    for (const store of loaded) await store.clear().catch(() => undefined);
    // A distributed table of ClickHouse reports success but keeps the rows of its shards, so the stores are checked.
    const populated: string[] = [];
    for (const store of STORES)
      await stores[store].expectLoadable(manifest.schemas[store]).catch((reason) => populated.push(reason.message));
    throw populated.length === 0
      ? error
      : new Error([(error as Error).message, ...populated].join('; '), { cause: error });
  }
}

function tablesOf(dir: string, { files }: Manifest, store: keyof Stores) {
  return files
    .filter(({ name }) => name.startsWith(`${store}/`))
    .map(({ name, columns = [] }) => ({
      name: path.basename(name, '.tsv'),
      columns,
      lines: () => contentOf(dir, name),
    }));
}

function summaryOf({ files, made_at }: Manifest): BackupSummary {
  const rows = (name: string) => files.find((file) => file.name === name)?.lines ?? 0;
  return {
    links: rows('postgres/links.tsv'),
    clicks: rows('clickhouse/clicks.tsv'),
    accounts: rows('postgres/accounts.tsv'),
    made_at,
  };
}
