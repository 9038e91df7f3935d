import { actorOf, ownSession } from '../platform/caller.ts';
import { endpoint, Reply, wrong } from '../platform/endpoint.ts';
import { inPath, named, optional, secret, uuid } from '../platform/fields.ts';
import { input } from '../platform/input.ts';
import type { EndpointWith } from '../platform/slice.ts';
import { done } from './accounts.schema.ts';
import { removeIdentity } from './oidc/sign-in-by-provider.ts';
import { assertedPasskey } from './passkeys/passkeys.schema.ts';
import type { AccountsPorts } from './ports.ts';
import { endSession, proveSession } from './prove.ts';
import { sessionCookie } from './session-cookie.ts';
import { DEVICE, IDENTITY, SESSION } from './sessions.schema.ts';

const id = (what: string, example: string) => inPath(100, `The id of the ${what}.`, example);

export const sessionEndpoints: readonly EndpointWith<AccountsPorts>[] = [
  endpoint({
    id: 'proveSession',
    method: 'POST',
    path: '/account/proof',
    scope: 'write',
    session: 'needed',
    summary: 'Prove that it is you',
    description:
      'By the password, or by a passkey with a challenge of `POST /session/passkey/challenge`. For 15 minutes, the session may then do what needs a proof. It gets a new cookie; copies of the earlier one stop working.',
    body: input(
      {
        current_password: optional(secret).description('The password of the account.'),
        passkey: optional(assertedPasskey).description(
          'The `toJSON()` of what `navigator.credentials.get()` found. Instead of the password.',
        ),
      },
      'Proof',
      'What only the owner has.',
    ),
    examples: { 'By password': { current_password: 'correct horse battery staple' } },
    answers: done('The session is proven.'),
    errors: [
      wrong('The wrong password', { current_password: 'is wrong' }),
      wrong("Another account's", { passkey: 'is not one of this account' }),
      'too_many_attempts',
    ],
    means: { 400: 'It proves nothing.', 429: 'Too many attempts. Wait for `Retry-After`.' },
    handle: async ({ caller, body, signal }, deps: AccountsPorts) => {
      const token = await proveSession(
        deps,
        caller,
        { password: body.current_password, passkey: body.passkey },
        signal,
      );
      return new Reply(200, { done: true }, { 'Set-Cookie': sessionCookie(deps.baseUrl, token) });
    },
  }),
  endpoint({
    id: 'endSession',
    method: 'DELETE',
    path: '/account/sessions/:id',
    scope: 'write',
    session: 'needed',
    summary: 'End one of your sessions',
    description: 'It is refused from its next request on.',
    params: { id: id('session', SESSION.id) },
    answers: done('It has ended.'),
    errors: ['session_not_found'],
    means: { 404: 'There is no such session of yours.' },
    handle: async ({ caller, params }, deps: AccountsPorts) => {
      await endSession(deps, caller, params.id);
      return { done: true };
    },
  }),
  endpoint({
    id: 'confirmDevice',
    method: 'POST',
    path: '/account/devices/:id/confirm',
    scope: 'write',
    session: 'needed',
    summary: 'Confirm a new device',
    description: 'It was you who signed in there. A device cannot confirm itself.',
    params: { id: id('device', DEVICE.id) },
    answers: done('It is known.'),
    errors: ['device_not_found'],
    means: { 404: 'There is no such device of yours, or it is the one that asks.' },
    handle: async ({ caller, params }, deps: AccountsPorts) => {
      const { accountId } = caller;
      await deps.sessions.confirmDevice({ accountId, id: params.id, session: ownSession(caller).tokenHash });
      return { done: true };
    },
  }),
  endpoint({
    id: 'removeIdentity',
    method: 'DELETE',
    path: '/account/identities/:id',
    scope: 'write',
    session: 'needed',
    proof: true,
    summary: 'Remove an identity of the provider',
    description: 'It signs nobody in any more. Sessions that it began go on.',
    params: { id: id('identity', IDENTITY.id) },
    answers: {
      200: {
        means: 'The identity is removed.',
        schema: named('RemovedIdentity', 'A removed identity.', { id: uuid }),
        examples: { Removed: { id: IDENTITY.id } },
      },
    },
    errors: ['identity_not_found'],
    means: { 404: 'There is no such identity of yours.' },
    handle: async ({ caller, params }, deps: AccountsPorts) => {
      await removeIdentity(deps, caller.accountId, params.id, actorOf(caller));
      return { id: params.id };
    },
  }),
];
