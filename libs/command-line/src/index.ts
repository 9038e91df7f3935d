export * from './safe-text.ts';
export * from './usage-error.ts';
export * from './write-whole.ts';
