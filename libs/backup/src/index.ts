export { type BackupSummary, backupCommand, restoreCommand } from './commands.ts';
export { datedBackups, removeCutOff, writeDatedBackup } from './dated.ts';
export { type Backup, type KnownMigrations, openBackup, restoreStores, type Stores, writeBackup } from './stores.ts';
