export * from './setting-files.ts';
export * from './settings.ts';
export * from './shared-settings.ts';
