import { type ApiKey, isTime, LIMITS, SCOPES } from '@waypost/domain';
import Joi from 'joi';
import { NAME_MAX } from '../platform/checks.ts';
import { wrong } from '../platform/endpoint.ts';
import {
  inPath,
  list,
  named,
  notBlank,
  nullable,
  oneOf,
  optional,
  problem,
  time,
  uuid,
  whole,
} from '../platform/fields.ts';
import { type Input, input } from '../platform/input.ts';
import type { DeletedKey, ListedKey } from './keys.port.ts';

const keyFields = {
  id: uuid,
  name: Joi.string(),
  scopes: list(oneOf(SCOPES)),
  hint: Joi.string().description('The first characters of the key.'),
  created_at: time,
  expires_at: nullable(time).description('From then on it is refused; null: never.'),
};
export const KEY = {
  id: 'b7a5f3a0-7d52-4b7c-9a52-0f3c1f6f2b44',
  name: 'laptop',
  scopes: ['read', 'write'] as const,
  hint: 'wp_k7Qm2Rx',
  created_at: '2026-11-21T09:30:00.000Z',
  expires_at: null,
};

const presentKey = ({ id, name, scopes, hint, createdAt, expiresAt }: ApiKey & { readonly hint: string }) => ({
  id,
  name,
  scopes,
  hint,
  created_at: createdAt.toISOString(),
  expires_at: expiresAt?.toISOString() ?? null,
});

export const keyParam = inPath(100, 'The ID of the key.', KEY.id).custom((value: string) =>
  value.replace(/\p{Cc}/gu, '\ufffd'),
);

export const keyBody = named('ApiKey', 'An API key, without the key itself.', {
  ...keyFields,
  last_used_at: nullable(time).description('To within a minute; null for one that was never used.'),
});

export const keyList = {
  200: {
    means: 'The keys.',
    schema: named('ApiKeyList', 'The active keys of an account.', {
      data: list(keyBody),
      limit: whole.description('Active keys that an account may have.'),
    }),
    examples: { 'One key': { data: [{ ...KEY, last_used_at: null }], limit: LIMITS.activeKeysPerAccount } },
  },
};

export const presentKeyList = (keys: readonly ListedKey[]) => ({
  data: keys.map((key) => ({ ...presentKey(key), last_used_at: key.lastUsedAt?.toISOString() ?? null })),
  limit: LIMITS.activeKeysPerAccount,
});

const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/;

export const newKeyInput = input(
  {
    name: Joi.string().meta(notBlank(NAME_MAX)).description(`What it is for: 1 to ${NAME_MAX} characters.`),
    scopes: list(Joi.string().meta({ enum: SCOPES }))
      .meta({ minItems: 1, uniqueItems: true })
      .description('`read`, `write` or both; or `admin` alone.'),
    expires_at: optional(nullable(time))
      .custom((value: string, helpers) =>
        ISO_UTC.test(value) && isTime(value) ? value : problem(helpers, 'must be a time such as 2027-01-31T00:00:00Z'),
      )
      .description('When it ends, in UTC. Without it, or with null, it never does.')
      .example('2027-01-31T00:00:00Z'),
  },
  'NewApiKey',
  'A key to be made.',
);

type NewKeyBody = typeof newKeyInput extends Input<infer T> ? T : never;

export const newKey = ({ name, scopes, expires_at }: NewKeyBody) => ({
  name,
  scopes,
  expiresAt: expires_at == null ? undefined : new Date(expires_at),
});
export const NEW_KEYS = {
  'For links': { name: 'laptop', scopes: ['read', 'write'] },
  'With an end': { name: 'build server', scopes: ['write'], expires_at: '2027-01-31T00:00:00Z' },
};

export const adminAlone = wrong('admin with others', { scopes: 'admin must be the only scope of a key' });

export const createdKey = {
  201: {
    means: 'The key was made.',
    schema: named('CreatedApiKey', 'A new key.', { ...keyFields, key: Joi.string().description('Shown this once.') }),
    examples: { 'A key': { ...KEY, key: 'wp_k7Qm2Rx…' } },
  },
};

export const presentCreatedKey = (created: ApiKey & { readonly hint: string; readonly key: string }) => ({
  ...presentKey(created),
  key: created.key,
});

export const ITS_WEBHOOKS = 'The answer names its webhooks: those that it made, or whose address it set last.';
export const webhooksParam = optional(oneOf(['keep', 'switch_off'])).description(
  'What becomes of its webhooks. By default they go on.',
);

export const deletedKey = {
  200: {
    means: 'The key is deleted.',
    schema: named('DeletedApiKey', 'A deleted key.', {
      id: keyFields.id,
      deleted_at: time,
      webhooks: list(
        named('WebhookOfKey', 'A webhook of a deleted key.', { id: uuid, url: Joi.string(), enabled: Joi.boolean() }),
      ).description('Its webhooks, as they are now.'),
    }),
    examples: { Deleted: { id: KEY.id, deleted_at: '2026-11-21T10:15:00.000Z', webhooks: [] } },
  },
};

export const presentDeletedKey = ({ id, deletedAt, webhooks }: DeletedKey) => ({
  id,
  deleted_at: deletedAt.toISOString(),
  webhooks,
});
