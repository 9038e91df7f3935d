export { deleteApiKey } from './delete.ts';
export type { ApiKeys } from './keys.port.ts';
