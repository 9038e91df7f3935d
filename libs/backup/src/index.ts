export type { Cipher } from './age.ts';
export type { BackupSummary, RestoreOptions, RestoreSummary } from './commands.ts';
export { datedBackups, removeCutOff, writeDatedBackup } from './dated.ts';
export { type Backup, type KnownMigrations, openBackup, restoreStores, type Stores, writeBackup } from './stores.ts';
