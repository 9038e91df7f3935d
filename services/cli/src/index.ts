export { runClient } from './run-client.ts';
