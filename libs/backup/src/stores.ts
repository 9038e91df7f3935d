import path from 'node:path';
import type { Lines, LinkArchive, Revised, Revision, TableArchive } from '@waypost/ports';
import type { Cipher } from './age.ts';
import type { BackupSummary } from './commands.ts';
import { type BackupFiles, BackupRefused, contentOf, type Manifest, readManifest, writeFiles } from './files.ts';

export interface Stores {
  readonly clickhouse: TableArchive;
  readonly postgres: LinkArchive;
}

export type KnownMigrations = Readonly<Record<keyof Stores, readonly string[]>>;

const STORES = ['clickhouse', 'postgres'] as const;
const FOLDER = 'folder';

export interface Backup {
  readonly dir: string;
  readonly manifest: Manifest;
  /** Undefined if the backup is not encrypted. */
  readonly decrypt: Cipher | undefined;
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
  encrypt: Cipher | undefined,
  addFolder: (add: (name: string, content: Lines) => Promise<void>) => Promise<void> = async () => {},
): Promise<BackupSummary> {
  const manifest = await writeFiles(dir, now, encrypt, async ({ add }) => {
    await addFolder((name, content) => add(`${FOLDER}/${name}`, content));
    const clickhouse = await saveStore(add, 'clickhouse', stores);
    return { clickhouse, postgres: await saveStore(add, 'postgres', stores) };
  });
  return summaryOf(manifest);
}

const saveStore = (add: BackupFiles['add'], store: keyof Stores, stores: Stores) =>
  stores[store].save(({ name, columns }, lines) => add(`${store}/${name}.tsv`, lines, columns));

/** Throws `BackupRefused` unless this version can restore the whole backup. */
export async function openBackup(dir: string, migrations: KnownMigrations, decrypt?: Cipher): Promise<Backup> {
  const manifest = await readManifest(dir, decrypt);
  for (const store of STORES) {
    const newer = manifest.schemas[store].migrations.find((migration) => !migrations[store].includes(migration));
    if (newer !== undefined)
      throw new BackupRefused(`${dir} was written by a newer version of Waypost: its schema of ${store} has ${newer}`);
  }
  const folder = manifest.files
    .filter(({ name }) => name.startsWith(`${FOLDER}/`))
    .map(({ name }) => ({ name: name.slice(FOLDER.length + 1), content: () => contentOf(dir, name, decrypt) }));
  return { dir, manifest, decrypt, summary: summaryOf(manifest), folder };
}

/**
 * Loads into empty stores and applies the revision. If it rejects, they are empty again, or the error names each store
 * that is not.
 */
export async function restoreStores(
  { dir, manifest, decrypt }: Backup,
  stores: Stores,
  revision: Omit<Revision, 'madeAt'>,
): Promise<Revised> {
  for (const store of STORES) await stores[store].expectLoadable(manifest.schemas[store]);
  const loadedStores: TableArchive[] = [];
  try {
    for (const store of STORES) {
      await stores[store].load(manifest.schemas[store], tablesOf({ dir, manifest, decrypt }, store));
      loadedStores.push(stores[store]);
    }
    return await stores.postgres.revise({ ...revision, madeAt: new Date(manifest.made_at) });
  } catch (error) {
    for (const store of loadedStores) await store.clear().catch(() => undefined);
    // A distributed table of ClickHouse reports success but keeps the rows of its shards, so the stores are checked.
    const populated: string[] = [];
    for (const store of STORES)
      await stores[store].expectLoadable(manifest.schemas[store]).catch((reason) => populated.push(reason.message));
    throw populated.length === 0
      ? error
      : new Error([(error as Error).message, ...populated].join('; '), { cause: error });
  }
}

function tablesOf({ dir, manifest, decrypt }: Pick<Backup, 'dir' | 'manifest' | 'decrypt'>, store: keyof Stores) {
  return manifest.files
    .filter(({ name }) => name.startsWith(`${store}/`))
    .map(({ name, columns = [] }) => ({
      name: path.basename(name, '.tsv'),
      columns,
      lines: () => contentOf(dir, name, decrypt),
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
