/** Passkeys as the API shows them, and what a browser sends of one. */
import type { Passkey } from '@waypost/ports';
import Joi from 'joi';
import { named, nullable, object, problem, time, uuid } from './fields.ts';

export const passkeyBody = named('Passkey', 'A passkey, by which the owner of an account signs in.', {
  id: uuid,
  name: Joi.string(),
  created_at: time,
  last_used_at: nullable(time).description('Null for one that was never used.'),
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

const base64url = (max: number) =>
  Joi.string()
    .max(max)
    .custom((value: string, helpers) => (/^[\w-]+$/.test(value) ? value : problem(helpers, 'must be base64url')));
/** Far more than any authenticator sends; an id has 1,023 bytes at most (WebAuthn, section 4). */
const bytes = base64url(8_000);
const credentialId = base64url(1_400);

/** The browser's `toJSON()` has further fields, which say nothing new. */
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
