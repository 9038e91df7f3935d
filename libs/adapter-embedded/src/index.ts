export * from './clickhouse.ts';
export * from './data-folder.ts';
export * from './in-process-bus.ts';
export * from './in-process-link-cache.ts';
export * from './postgres.ts';
