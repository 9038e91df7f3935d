export { runClient } from './run-client.ts';
export { safeJson, safeText } from './safe-text.ts';
