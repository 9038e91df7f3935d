/**
 * `admin` imports this file even when another process runs the command, so each command imports its code only when it
 * runs.
 */
import { backupCommand, restoreCommand } from '@waypost/backup';
import type { OperatorCommands } from '@waypost/command-line';
import type { BackupDeps } from './backup.ts';
import type { Config } from './config.ts';

export const folderCommands: OperatorCommands<BackupDeps> = {
  backup: backupCommand(async (dir, deps) => (await import('./backup.ts')).backUpFolder(dir, deps)),
};

export const restoreCommands: OperatorCommands<Config> = {
  restore: restoreCommand(async (dir, config) => (await import('./restore.ts')).restoreFolder(dir, config)),
};
