import fs from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Backup, openBackup, type RestoreOptions, type RestoreSummary, restoreStores } from '@waypost/backup';
import type { Revised } from '@waypost/ports';
import { ConfigError } from '@waypost/settings';
import { createLogger, errorFields } from '@waypost/telemetry';
import type { Config } from './config.ts';
import { UNFINISHED_RESTORE } from './data-dir.ts';
import { KNOWN_MIGRATIONS, openStores, takeFolder } from './engines.ts';

/** `takeFolder` creates this lock file. */
const LOCK = 'lock';

export async function restoreFolder(
  dir: string,
  { dataDir, logLevel }: Config,
  { decrypt, revision }: RestoreOptions,
): Promise<RestoreSummary> {
  const backup = await openBackup(dir, KNOWN_MIGRATIONS, decrypt);
  expectEmpty(dataDir);
  await using stack = new AsyncDisposableStack();
  takeFolder(dataDir, stack);
  expectEmpty(dataDir);
  // A restore that was killed may have left files.
  empty(dataDir);
  fs.writeFileSync(path.join(dataDir, UNFINISHED_RESTORE), '', { flush: true, mode: 0o600 });
  const revised = await fill(dataDir, backup, revision, logLevel).catch((error) => {
    empty(dataDir);
    stack.defer(() => fs.rmSync(path.join(dataDir, LOCK)));
    throw error;
  });
  fs.rmSync(path.join(dataDir, UNFINISHED_RESTORE));
  return { ...backup.summary, ...revised };
}

/** Throws `ConfigError` if a restore into the folder did not finish. */
export function expectRestored(dataDir: string): void {
  if (fs.existsSync(path.join(dataDir, UNFINISHED_RESTORE)))
    throw new ConfigError(`A restore into the data folder ${dataDir} was interrupted. Run it again.`);
}

function expectEmpty(dataDir: string): void {
  const names = fs.existsSync(dataDir) ? fs.readdirSync(dataDir).filter((name) => name !== LOCK) : [];
  if (names.length > 0 && !names.includes(UNFINISHED_RESTORE))
    throw new Error(
      `The data folder ${dataDir} is not empty. Restore into an empty folder. To replace this one, first save its deletions ` +
        'and revocations (admin export-revoked FILE), then restore with --revoke FILE.',
    );
}

/** The file `restore-unfinished` goes last: without it, the remaining files would look like a complete data folder. */
function empty(dataDir: string): void {
  const names = fs.readdirSync(dataDir).filter((name) => name !== LOCK && name !== UNFINISHED_RESTORE);
  for (const name of [...names, UNFINISHED_RESTORE])
    fs.rmSync(path.join(dataDir, name), { recursive: true, force: true });
}

async function fill(
  dataDir: string,
  backup: Backup,
  revision: RestoreOptions['revision'],
  logLevel: Config['logLevel'],
): Promise<Revised> {
  for (const { name, content } of backup.folder) {
    const file = path.join(dataDir, name);
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    await pipeline(content(), fs.createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }));
  }
  const logger = createLogger('waypost', logLevel);
  await using stack = new AsyncDisposableStack();
  const onError = (what: string) => (error: unknown) => logger.error(what, errorFields(error));
  const { archives } = await openStores(dataDir, 0, { onError, stack });
  return await restoreStores(backup, archives, revision);
}
