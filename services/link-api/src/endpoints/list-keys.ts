import { endpoint } from './endpoint.ts';
import { keyList, presentKeyList } from './key-bodies.ts';

export const listKeysEndpoint = endpoint({
  id: 'listKeys',
  method: 'GET',
  path: '/account/keys',
  scope: 'read',
  session: 'or_admin_key',
  summary: 'List your API keys',
  description: 'The active keys, the newest first. A key itself is never shown again.',
  answers: keyList,
  cli: 'waypost keys list',
  handle: async ({ caller }, deps) => presentKeyList(await deps.keys.list(caller.accountId)),
});
