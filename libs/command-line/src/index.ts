export * from './admin.ts';
export * from './command.ts';
export * from './operator-command.ts';
export * from './safe-text.ts';
export * from './time.ts';
export * from './write-whole.ts';
