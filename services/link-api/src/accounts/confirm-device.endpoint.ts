import { ownSession } from '../platform/caller.ts';
import { endpoint } from '../platform/endpoint.ts';
import { inPath } from '../platform/fields.ts';
import { done } from './accounts.schema.ts';
import type { AccountsPorts } from './ports.ts';
import { DEVICE } from './sessions.schema.ts';

export const confirmDeviceEndpoint = endpoint({
  id: 'confirmDevice',
  method: 'POST',
  path: '/account/devices/:id/confirm',
  scope: 'write',
  session: 'needed',
  summary: 'Confirm a new device',
  description: 'It was you who signed in there. A device cannot confirm itself.',
  params: { id: inPath(100, 'The id of the device.', DEVICE.id) },
  answers: done('It is known.'),
  errors: ['device_not_found'],
  means: { 404: 'There is no such device of yours, or it is the one that asks.' },
  handle: async ({ caller, params }, deps: AccountsPorts) => {
    const { accountId } = caller;
    await deps.sessions.confirmDevice({ accountId, id: params.id, session: ownSession(caller).tokenHash });
    return { done: true };
  },
});
