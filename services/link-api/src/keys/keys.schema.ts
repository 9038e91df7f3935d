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
  expires_at: nullable(time).description('When the key expires. Null: never.'),
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

export const keyParam = inPath(100, 'The ID of the API key.', KEY.id).custom((value: string) =>
  value.replace(/\p{Cc}/gu, '\ufffd'),
);

export const keyBody = named('ApiKey', 'An API key, without the key itself.', {
  ...keyFields,
  last_used_at: nullable(time).description(
    'The time of the last use, to within a minute. Null if the key was never used.',
  ),
});

export const keyList = {
  200: {
    means: 'The API keys.',
    schema: named('ApiKeyList', 'The active API keys of an account.', {
      data: list(keyBody),
      limit: whole.description('The maximum number of active keys per account.'),
    }),
    examples: { 'One API key': { data: [{ ...KEY, last_used_at: null }], limit: LIMITS.activeKeysPerAccount } },
  },
};

export const presentKeyList = (keys: readonly ListedKey[]) => ({
  data: keys.map((key) => ({ ...presentKey(key), last_used_at: key.lastUsedAt?.toISOString() ?? null })),
  limit: LIMITS.activeKeysPerAccount,
});

const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/;

export const newKeyInput = input(
  {
    name: Joi.string()
      .meta(notBlank(NAME_MAX))
      .description(`A name that tells what the key is for: 1 to ${NAME_MAX} characters.`),
    scopes: list(Joi.string().meta({ enum: SCOPES }))
      .meta({ minItems: 1, uniqueItems: true })
      .description('The scopes of the key: `read`, `write` or both, or `admin` alone.'),
    expires_at: optional(nullable(time))
      .custom((value: string, helpers) =>
        ISO_UTC.test(value) && isTime(value) ? value : problem(helpers, 'must be a time such as 2027-01-31T00:00:00Z'),
      )
      .description('When the key expires, in UTC. Default: never.')
      .example('2027-01-31T00:00:00Z'),
  },
  'NewApiKey',
  'The API key to create.',
);

type NewKeyBody = typeof newKeyInput extends Input<infer T> ? T : never;

export const newKey = ({ name, scopes, expires_at }: NewKeyBody) => ({
  name,
  scopes,
  expiresAt: expires_at == null ? undefined : new Date(expires_at),
});
export const NEW_KEYS = {
  'For managing links': { name: 'laptop', scopes: ['read', 'write'] },
  'With an expiry': { name: 'build server', scopes: ['write'], expires_at: '2027-01-31T00:00:00Z' },
};

export const adminAlone = wrong('admin with other scopes', { scopes: 'must not combine admin with other scopes' });

export const createdKey = {
  201: {
    means: 'The API key was created.',
    schema: named('CreatedApiKey', 'The created API key.', {
      ...keyFields,
      key: Joi.string().description('The full key. It is shown only once.'),
    }),
    examples: { 'API key': { ...KEY, key: 'wp_k7Qm2Rx…' } },
  },
};

export const presentCreatedKey = (created: ApiKey & { readonly hint: string; readonly key: string }) => ({
  ...presentKey(created),
  key: created.key,
});

export const ITS_WEBHOOKS = 'The response lists its webhooks: those whose URL was last set with this key.';
export const webhooksParam = optional(oneOf(['keep', 'switch_off'])).description(
  'What happens to the webhooks of the key. Default: `keep`.',
);

export const deletedKey = {
  200: {
    means: 'The API key was deleted.',
    schema: named('DeletedApiKey', 'The deleted API key.', {
      id: keyFields.id,
      deleted_at: time,
      webhooks: list(
        named('WebhookOfKey', 'A webhook of the deleted API key.', {
          id: uuid,
          url: Joi.string(),
          enabled: Joi.boolean(),
        }),
      ).description('The webhooks of the key, after the deletion.'),
    }),
    examples: { Deleted: { id: KEY.id, deleted_at: '2026-11-21T10:15:00.000Z', webhooks: [] } },
  },
};

export const presentDeletedKey = ({ id, deletedAt, webhooks }: DeletedKey) => ({
  id,
  deleted_at: deletedAt.toISOString(),
  webhooks,
});
