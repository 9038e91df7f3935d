export { createLinkApi, type LinkApi, type LinkApiDeps } from './app.ts';
export { linkApiCommands } from './operator-commands.ts';
