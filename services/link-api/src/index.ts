export { createLinkApi, type LinkApi } from './app.ts';
export type { LinkApiDeps } from './deps.ts';
export { linkApiCommands } from './operator-commands.ts';
export { pooledRandomBytes } from './random-bytes.ts';
