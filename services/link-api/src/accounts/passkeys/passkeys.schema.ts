import Joi from 'joi';
import { named, nullable, object, problem, time, uuid } from '../../platform/fields.ts';
import type { Passkey } from './passkeys.port.ts';

export const passkeyBody = named('Passkey', 'A passkey, with which the owner of an account signs in.', {
  id: uuid,
  name: Joi.string(),
  created_at: time,
  last_used_at: nullable(time).description('The time of the last sign-in. Null if the passkey was never used.'),
});

export const PASSKEY = {
  id: 'b7a5f3a0-7d52-4b7c-9a52-0f3c1f6f2b44',
  name: 'phone',
  created_at: '2026-11-21T09:30:00.000Z',
  last_used_at: null,
};

export const presentPasskey = ({ id, name, createdAt, lastUsedAt }: Passkey) => ({
  id,
  name,
  created_at: createdAt.toISOString(),
  last_used_at: lastUsedAt?.toISOString() ?? null,
});

export const passkeyOptions = {
  200: {
    means: 'The WebAuthn options.',
    schema: named('PasskeyOptions', 'WebAuthn options for the browser.', { challenge: Joi.string() }),
    examples: { Options: { challenge: 'Yb3U6a0yJqzTUBv2Zk9c0w…' } },
  },
};

const base64url = (max: number) =>
  Joi.string()
    .max(max)
    .meta({ minLength: 1, pattern: '^[A-Za-z0-9_-]+$' })
    .custom((value: string, helpers) => (/^[\w-]+$/.test(value) ? value : problem(helpers, 'must be base64url')));
/** No authenticator sends nearly as much. An id has at most 1,023 bytes (WebAuthn, section 4). */
const bytes = base64url(8_000);
const credentialId = base64url(1_400);

/** The browser's `toJSON()` adds more fields, which this endpoint ignores. */
export const createdPasskey = object({
  id: credentialId,
  response: object({ clientDataJSON: bytes, attestationObject: bytes }),
});

export const assertedPasskey = object({
  id: credentialId,
  response: object({
    clientDataJSON: bytes,
    authenticatorData: bytes,
    signature: bytes,
    userHandle: base64url(100),
  }),
});
