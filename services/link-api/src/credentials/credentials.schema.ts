import Joi from 'joi';
import {
  DEVICE,
  deviceBody,
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
} from '../accounts/index.ts';
import { KEY, keyBody, presentKeyList } from '../keys/index.ts';
import { sessionId } from '../platform/caller.ts';
import { countedList, list, named, nullable, optional, uuid } from '../platform/fields.ts';
import { input } from '../platform/input.ts';
import { presentWebhook, WEBHOOK, webhookBody } from '../webhooks/index.ts';
import { credentialsOf } from './get.ts';

export const credentialFields = {
  sessions: list(sessionBody),
  devices: list(deviceBody),
  passkeys: list(passkeyBody),
  identities: list(identityBody),
  keys: list(keyBody),
  webhooks: list(webhookBody),
};
export const CREDENTIALS = {
  sessions: [SESSION],
  devices: [DEVICE],
  passkeys: [PASSKEY],
  identities: [IDENTITY],
  keys: [{ ...KEY, last_used_at: null }],
  webhooks: [WEBHOOK],
};

export const answers = {
  200: {
    means: 'The credentials and webhooks of the account, newest first.',
    schema: named(
      'AccountCredentials',
      'Everything that gives access to an account: sessions, devices, credentials and webhooks.',
      { email: Joi.string(), has_password: Joi.boolean(), ...credentialFields },
    ),
    examples: {
      Account: { email: 'ada@example.org', has_password: true, ...CREDENTIALS },
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

export const body = input(
  {
    remove: optional(
      countedList(uuid, ({ length }) =>
        length > REMOVED_MAX ? `must have at most ${REMOVED_MAX} entries` : undefined,
      ),
    )
      .meta({ maxItems: REMOVED_MAX })
      .description('Passkeys, identities, API keys and webhooks to remove, by their IDs.'),
    password: optional(nullable(Joi.boolean())).description('Whether to remove the password. Default: false.'),
  },
  'AccountRemovals',
  'What to remove from the account.',
);
export const examples = {
  'Remove a passkey, a webhook and the password': { remove: [PASSKEY.id, WEBHOOK.id], password: true },
};
export const removalOf = ({ remove = [], password }: { remove?: readonly string[]; password?: boolean | null }) => ({
  ids: remove,
  password: password ?? false,
});
