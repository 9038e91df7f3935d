export * from './health.ts';
export * from './listen.ts';
export * from './logger.ts';
export * from './machine-health.ts';
export * from './metrics.ts';
export * from './stop.ts';
