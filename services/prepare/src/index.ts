export { prepareCommands } from './app.ts';
