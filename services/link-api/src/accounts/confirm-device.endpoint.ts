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
  description: 'Confirms that you signed in on this device. A device cannot confirm itself.',
  params: { id: inPath(100, 'The ID of the device.', DEVICE.id) },
  answers: done('The device is confirmed.'),
  errors: ['device_not_found'],
  means: { 404: 'Your account has no device with this ID, or it is the device that sent the request.' },
  handle: async ({ caller, params }, deps: AccountsPorts) => {
    const { accountId } = caller;
    await deps.sessions.confirmDevice({ accountId, id: params.id, session: ownSession(caller).tokenHash });
    return { done: true };
  },
});
