import { accountGone } from '@waypost/domain';
import Joi from 'joi';
import {
  accountOf,
  beginSession,
  changeOfAccount,
  DEVICE,
  deviceBody,
  emailParam,
  IDENTITY,
  identityBody,
  PASSKEY,
  passkeyBody,
  presentDevice,
  presentIdentity,
  presentPasskey,
  presentSession,
  SESSION,
  sessionBody,
  sessionCookie,
} from '../accounts/index.ts';
import { aboutAccount } from '../audit/index.ts';
import { KEY, keyBody, presentKeyList } from '../keys/index.ts';
import { countAttempt } from '../platform/attempts.ts';
import { actorOf, ownSession, sessionId } from '../platform/caller.ts';
import { endpoint, Reply, unknownParameter } from '../platform/endpoint.ts';
import { countedList, list, named, nullable, optional, uuid } from '../platform/fields.ts';
import { hashSecret } from '../platform/hash-secret.ts';
import { input } from '../platform/input.ts';
import { ATTEMPTS } from '../platform/limits.ts';
import { presentWebhook, WEBHOOK, webhookBody } from '../webhooks/index.ts';
import { credentialsOf, secureAccount } from './credentials.ts';
import type { CredentialsPorts } from './ports.ts';

const answers = {
  200: {
    means: 'All of it, the newest first.',
    schema: named('AccountCredentials', 'What lets people into an account, or sends something out of it.', {
      email: Joi.string(),
      has_password: Joi.boolean(),
      sessions: list(sessionBody),
      devices: list(deviceBody),
      passkeys: list(passkeyBody),
      identities: list(identityBody),
      keys: list(keyBody),
      webhooks: list(webhookBody),
    }),
    examples: {
      'An account': {
        email: 'ada@example.org',
        has_password: true,
        sessions: [SESSION],
        devices: [DEVICE],
        passkeys: [PASSKEY],
        identities: [IDENTITY],
        keys: [{ ...KEY, last_used_at: null }],
        webhooks: [WEBHOOK],
      },
    },
  },
};

/** `tokenHash` is of the session that asks. */
export async function presentCredentials(
  deps: Parameters<typeof credentialsOf>[0],
  accountId: string,
  tokenHash?: Buffer,
) {
  const { hasPassword, ...all } = await credentialsOf(deps, accountId);
  const current = tokenHash && sessionId(tokenHash);
  return {
    email: all.email,
    has_password: hasPassword,
    sessions: all.sessions.map((session) => presentSession(session, current)),
    devices: all.devices.map(presentDevice),
    passkeys: all.passkeys.map(presentPasskey),
    identities: all.identities.map(presentIdentity),
    keys: presentKeyList(all.keys).data,
    webhooks: all.webhooks.map(presentWebhook),
  };
}

/** An account has at most 10 passkeys, 20 active keys and 10 webhooks, and one identity for each provider. */
const REMOVED_MAX = 100;

const body = input(
  {
    remove: optional(
      countedList(uuid, ({ length }) => (length > REMOVED_MAX ? `must hold at most ${REMOVED_MAX} ids` : undefined)),
    )
      .meta({ maxItems: REMOVED_MAX })
      .description('Ids of passkeys, identities, keys and webhooks of the account.'),
    password: optional(nullable(Joi.boolean())).description('Whether to remove the password, too.'),
  },
  'AccountRemovals',
  'What to remove from an account.',
);
const examples = { 'With what the thief made': { remove: [PASSKEY.id, WEBHOOK.id], password: true } };
const removalOf = ({ remove = [], password }: { remove?: readonly string[]; password?: boolean | null }) => ({
  ids: remove,
  password: password ?? false,
});
export const credentialEndpoints = [
  endpoint({
    id: 'getCredentials',
    method: 'GET',
    path: '/account/credentials',
    scope: 'read',
    session: 'needed',
    share: 'reads',
    summary: 'List what lets you in',
    description: 'Sessions, devices, passkeys, identities, keys and webhooks, each with the time when it was added.',
    answers,
    handle: ({ caller }, deps: CredentialsPorts) =>
      presentCredentials(deps, caller.accountId, ownSession(caller).tokenHash),
  }),
  endpoint({
    id: 'secureAccount',
    method: 'POST',
    path: '/account/secure',
    scope: 'write',
    session: 'needed',
    proof: true,
    summary: '"This was not me": throw everybody else out',
    description:
      'Ends every session and an unused sign-in link, and removes what you name. This browser gets a new session. The answer lists what is left.',
    body,
    examples,
    answers,
    errors: ['credential_not_found', 'too_many_attempts'],
    means: { 404: 'An id is none of yours. Nothing was done.' },
    handle: async ({ caller, body, origin }, deps: CredentialsPorts) => {
      const { via } = ownSession(caller);
      // Whoever signed in too often as this account must not make its owner wait.
      const secured = hashSecret(`secure ${caller.accountId}`);
      await countAttempt(deps, secured, ATTEMPTS.sessions, 'This was done too often. Wait some minutes.');
      await secureAccount(deps, caller.accountId, removalOf(body), actorOf(caller));
      const account = await deps.accounts.credentials({ id: caller.accountId });
      if (account === undefined) throw accountGone();
      const { token } = await beginSession(deps, account, { via, origin: origin() });
      const remaining = await presentCredentials(deps, caller.accountId, hashSecret(token));
      return new Reply(200, remaining, { 'Set-Cookie': sessionCookie(deps.baseUrl, token) });
    },
  }),
  endpoint({
    id: 'getAccountCredentials',
    method: 'GET',
    path: '/admin/accounts/:email/credentials',
    scope: 'admin',
    share: 'reads',
    summary: 'List what lets people into an account',
    description: 'Sessions, devices, passkeys, identities, keys and webhooks, each with the time when it was added.',
    params: { email: emailParam },
    answers,
    errors: [unknownParameter, 'account_not_found'],
    means: { 404: 'There is no such account.' },
    cli: 'waypost admin list-credentials --email ada@example.org',
    handle: async ({ caller, params }, deps: CredentialsPorts) => {
      const { id } = await accountOf(deps, params.email);
      if (id !== caller.accountId) await deps.audit.read(aboutAccount(actorOf(caller), 'account.keys_read', id));
      return presentCredentials(deps, id);
    },
  }),
  endpoint({
    id: 'secureAnyAccount',
    method: 'POST',
    path: '/admin/accounts/:email/secure',
    scope: 'admin',
    audited: changeOfAccount('account.secured'),
    summary: 'Throw everybody out of an account',
    description:
      'Ends every session and an unused sign-in link, and removes what you name. Its owner then needs a sign-in link, if nothing else is left. The answer lists what is left.',
    params: { email: emailParam },
    body,
    examples,
    answers,
    errors: ['account_not_found', 'credential_not_found'],
    means: { 404: 'There is no such account, or an id is none of the account. Nothing was done.' },
    cli: 'waypost admin secure-account --email ada@example.org --password --yes',
    handle: async ({ caller, params, body }, deps: CredentialsPorts) => {
      const { id } = await accountOf(deps, params.email);
      await secureAccount(deps, id, removalOf(body), actorOf(caller));
      return presentCredentials(deps, id);
    },
  }),
];
