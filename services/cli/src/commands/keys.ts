import type { Command } from '@commander-js/extra-typings';
import { addCommand, addFlags, addGroup, fieldsOf } from '../program.ts';
import type { Session } from '../session.ts';
import { showCreatedKey, showDeletedKey, showKeys } from '../show.ts';
import { EXPIRES, newKeyOf, SCOPES } from './new-key.ts';

export function addKeys(program: Command, { connect, print }: Session): void {
  const keys = addGroup(program, 'keys', 'Manage the API keys of your account. Requires a key with the scope admin.');

  addCommand(keys, 'list', 'List active API keys, newest first.', ['waypost keys list']).action(async (options) => {
    print(options, await connect(options).keys(), showKeys);
  });

  const create = addCommand(keys, 'create', 'Create an API key. The key is shown only once.', [
    'waypost keys create --name laptop --scopes read,write',
    'waypost keys create --name "build server" --scopes write --expires 90d',
  ]);
  addFlags(create, 'createKey', 'scopes', 'expires_at')
    .addOption(SCOPES())
    .addOption(EXPIRES())
    .action(async (options) => {
      const key = newKeyOf(fieldsOf('createKey', options), options);
      print(options, await connect(options).createKey(key), showCreatedKey);
    });

  const erase = addCommand(keys, 'delete <ID>', 'Delete an API key. It stops working immediately.', [
    'waypost keys delete b7a5f3a0-7d52-4b7c-9a52-0f3c1f6f2b44',
    'waypost keys delete b7a5f3a0-7d52-4b7c-9a52-0f3c1f6f2b44 --webhooks switch_off',
  ]);
  addFlags(erase, 'deleteKey').action(async (id, options) => {
    const { webhooks } = fieldsOf('deleteKey', options);
    print(options, await connect(options).deleteKey(id, { webhooks }), showDeletedKey);
  });
}
