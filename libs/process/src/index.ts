export * from './calls.ts';
export * from './internal-app.ts';
export * from './listen.ts';
export * from './machine-health.ts';
export * from './operator.ts';
export * from './service.ts';
export * from './stop.ts';
export * from './trace-requests.ts';
