/**
 * `admin` imports this file even when another process runs the command, so each command imports its code only when it
 * runs.
 */
import { backupCommand, exportRevokedCommand, restoreCommand } from '@waypost/backup/commands';
import type { OperatorCommands } from '@waypost/operator';
import type { BackupDeps } from './backup.ts';
import type { Config } from './config.ts';

export const folderCommands: OperatorCommands<BackupDeps> = {
  backup: backupCommand(async (...all) => (await import('./backup.ts')).backUpFolder(...all)),
  'export-revoked': exportRevokedCommand(({ archives }, use) => use(archives.postgres)),
};

export const restoreCommands: OperatorCommands<Config> = {
  restore: restoreCommand(async (...all) => (await import('./restore.ts')).restoreFolder(...all)),
};
