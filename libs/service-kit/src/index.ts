export * from './health.ts';
export * from './listen.ts';
export * from './logger.ts';
export * from './stop.ts';
