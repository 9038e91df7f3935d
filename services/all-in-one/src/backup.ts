import fs from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { type BackupSummary, type Cipher, type Stores, writeBackup } from '@waypost/backup';
import { clickLogFiles } from '@waypost/redirector';
import type { Scanner } from '@waypost/scanner';
import { ConfigError } from '@waypost/settings';
import type { Logger } from '@waypost/telemetry';
import type { Config } from './config.ts';
import { scheduleBackups } from './scheduled-backups.ts';

export const CLICK_LOG = 'clicks';
export const THREATS = 'threats';

export interface BackupDeps {
  readonly archives: Stores;
  readonly dataDir: string;
  readonly scanner: Pick<Scanner, 'withFiles'>;
  readonly now: () => Date;
}

export const backUpFolder = (
  dir: string,
  { archives, dataDir, scanner, now }: BackupDeps,
  encrypt: Cipher | undefined,
): Promise<BackupSummary> =>
  writeBackup(dir, now(), archives, encrypt, async (add) => {
    const addAll = async (files: readonly string[]) => {
      for (const file of files) {
        const content = await readIfThere(file);
        if (content !== undefined) await add(path.relative(dataDir, file), content);
      }
    };
    await addAll([path.join(dataDir, 'secrets.json')]);
    await scanner.withFiles(addAll);
    // The click log is copied before the tables, so a click that leaves the log meanwhile is in the tables.
    await addAll(clickLogFiles(path.join(dataDir, CLICK_LOG)));
  });

/** Undefined without `BACKUP_DIR`. Throws `ConfigError` for a key that is none. */
export async function configuredBackups(config: Config, backup: BackupDeps, logger: Logger) {
  const { backupDir, backupEncryptTo } = config;
  const encrypt = backupEncryptTo === undefined ? undefined : await encryptionTo(backupEncryptTo);
  const backUp = (dir: string) => backUpFolder(dir, backup, encrypt);
  return backupDir === undefined
    ? undefined
    : scheduleBackups({ ...config, backupDir }, { backUp, now: backup.now, logger });
}

/** The library is loaded only if it is needed. */
async function encryptionTo(keys: string): Promise<Cipher> {
  const { encryptTo } = await import('@waypost/backup/age');
  try {
    return encryptTo(keys);
  } catch (error) {
    throw new ConfigError(`BACKUP_ENCRYPT_TO: ${(error as Error).message}`);
  }
}

async function readIfThere(file: string): Promise<Readable | undefined> {
  try {
    return (await fs.promises.open(file)).createReadStream();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
