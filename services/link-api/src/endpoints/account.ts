/** Who asks, and what a session of the dashboard may do with its account: the password, the sessions, the keys. */
import { LIMITS, SCOPES } from '@waypost/domain';
import Joi from 'joi';
import { createApiKey } from '../use-cases/accounts.ts';
import { changePassword } from '../use-cases/sign-in.ts';
import { endpoint, none, unknownParameter, wrong } from './endpoint.ts';
import { list, named, nullable, oneOf, optional, whole } from './fields.ts';
import { input } from './input.ts';

const time = Joi.string().meta({ format: 'date-time' });
const done = (means: string) => ({
  200: { means, schema: named('Done', 'It is done.', { done: Joi.boolean() }), examples: { Done: { done: true } } },
});

export const getAccountEndpoint = endpoint({
  id: 'getAccount',
  method: 'GET',
  path: '/account',
  scope: 'read',
  tag: 'Account',
  summary: 'Read your account',
  description: 'The account of the key or the session, and what is left of its quota.',
  params: none,
  query: none,
  body: undefined,
  answers: {
    200: {
      means: 'The account.',
      schema: named('Account', 'An account.', {
        email: Joi.string(),
        admin: Joi.boolean().description('Whether it is an administrator of this Waypost.'),
        has_password: Joi.boolean(),
        scopes: list(oneOf(SCOPES)).description('Of the key or the session that asks.'),
        redirect_base_url: Joi.string().description('Where short links are served.'),
        quota: named('AccountQuota', 'Links of the current hour.', {
          limit: whole.description('Links that may be made per hour.'),
          used: whole.description('Links made in the current hour.'),
          resets_at: time.description('When the current hour ends; with none open, an hour from now.'),
        }),
      }),
      examples: {
        'An account': {
          email: 'ada@example.org',
          admin: false,
          has_password: true,
          scopes: ['read', 'write'],
          redirect_base_url: '{redirect_base_url}',
          quota: { limit: 300, used: 12, resets_at: '2026-11-21T10:15:00.000Z' },
        },
      },
    },
  },
  errors: [unknownParameter],
  sample: { path: '/api/v1/account' },
  handle: async ({ caller, quota }, deps) => {
    const known = await deps.accounts.credentials({ id: caller.accountId });
    if (known === undefined) throw new Error('a caller without an account');
    const { limit, used, resetAt } = quota();
    return {
      email: known.email,
      admin: known.admin,
      has_password: known.passwordHash !== null,
      scopes: caller.scopes,
      redirect_base_url: deps.redirectBaseUrl,
      quota: { limit, used, resets_at: resetAt.toISOString() },
    };
  },
});

export const changePasswordEndpoint = endpoint({
  id: 'changePassword',
  method: 'PUT',
  path: '/account/password',
  scope: 'write',
  session: true,
  tag: 'Account',
  summary: 'Change your password',
  description: 'Ends all other sessions of the account.',
  params: none,
  query: none,
  body: input(
    {
      current_password: optional(Joi.string()).description(
        'Not needed by an account without a password, and in the first 15 minutes after a sign-in by link.',
      ),
      new_password: Joi.string().description('12 to 1000 characters.'),
    },
    'PasswordChange',
    'A new password.',
  ),
  examples: { 'A new one': { current_password: 'the one until now', new_password: 'a longer one than that' } },
  answers: done('It is changed.'),
  errors: [wrong('The wrong one', { current_password: 'is wrong' }), 'too_many_attempts'],
  means: { 400: 'The body or the current password is wrong.', 429: 'Too many attempts. Wait for `Retry-After`.' },
  sample: { path: '/api/v1/account/password' },
  handle: async ({ caller, body, gone }, deps) => {
    await changePassword(deps, caller, { current: body.current_password, wanted: body.new_password }, gone);
    return { done: true };
  },
});

export const endSessionsEndpoint = endpoint({
  id: 'endSessions',
  method: 'DELETE',
  path: '/account/sessions',
  scope: 'write',
  session: true,
  tag: 'Account',
  summary: 'Sign out everywhere',
  description: 'Ends every session of the account, this one included. Keys stay.',
  params: none,
  query: none,
  body: undefined,
  answers: done('Nobody is signed in.'),
  errors: [unknownParameter],
  sample: { path: '/api/v1/account/sessions' },
  handle: async ({ caller }, deps) => {
    await deps.sessions.endAll(caller.accountId);
    return { done: true };
  },
});

const keyFields = {
  id: Joi.string().meta({ format: 'uuid' }),
  name: Joi.string(),
  scopes: list(oneOf(SCOPES)),
  hint: Joi.string().description('The first characters of the key.'),
  created_at: time,
};
const KEY = {
  id: 'b7a5f3a0-7d52-4b7c-9a52-0f3c1f6f2b44',
  name: 'laptop',
  scopes: ['read', 'write'] as const,
  hint: 'wp_k7Qm2Rx',
  created_at: '2026-11-21T09:30:00.000Z',
};

export const listKeysEndpoint = endpoint({
  id: 'listKeys',
  method: 'GET',
  path: '/account/keys',
  scope: 'read',
  session: true,
  tag: 'Account',
  summary: 'List your API keys',
  description: 'The active keys, the newest first. A key itself is never shown again.',
  params: none,
  query: none,
  body: undefined,
  answers: {
    200: {
      means: 'The keys.',
      schema: named('ApiKeyList', 'The active keys of an account.', {
        data: list(
          named('ApiKey', 'An API key, without the key itself.', {
            ...keyFields,
            last_used_at: nullable(time).description('To within a minute; null for one that was never used.'),
          }),
        ),
        limit: whole.description('Active keys that an account may have.'),
      }),
      examples: { 'One key': { data: [{ ...KEY, last_used_at: null }], limit: LIMITS.activeKeysPerAccount } },
    },
  },
  errors: [unknownParameter],
  sample: { path: '/api/v1/account/keys' },
  handle: async ({ caller }, deps) => {
    const keys = await deps.keys.list(caller.accountId);
    const data = keys.map(({ id, name, scopes, hint, createdAt, lastUsedAt }) => ({
      id,
      name,
      scopes,
      hint,
      created_at: createdAt.toISOString(),
      last_used_at: lastUsedAt?.toISOString() ?? null,
    }));
    return { data, limit: LIMITS.activeKeysPerAccount };
  },
});

export const createKeyEndpoint = endpoint({
  id: 'createKey',
  method: 'POST',
  path: '/account/keys',
  scope: 'write',
  session: true,
  tag: 'Account',
  summary: 'Make an API key',
  description: `The key is in this answer and nowhere else. An account has at most ${LIMITS.activeKeysPerAccount} active keys.`,
  params: none,
  query: none,
  body: input(
    {
      name: Joi.string().description('What it is for: 1 to 100 characters.'),
      scopes: list(Joi.string()).description('`read`, `write` or both; or `admin` alone.'),
    },
    'NewApiKey',
    'A key to be made.',
  ),
  examples: { 'For links': { name: 'laptop', scopes: ['read', 'write'] } },
  answers: {
    201: {
      means: 'The key was made.',
      schema: named('CreatedApiKey', 'A new key.', { ...keyFields, key: Joi.string().description('Shown this once.') }),
      examples: { 'A key': { ...KEY, key: 'wp_k7Qm2Rx…' } },
    },
  },
  errors: [wrong('admin with others', { scopes: 'admin must be the only scope of a key' }), 'too_many_keys'],
  means: { 400: 'The name or the scopes are wrong.', 409: 'The account has as many keys as it may have.' },
  sample: { path: '/api/v1/account/keys' },
  handle: async ({ caller, body }, deps) => {
    const { id, name, scopes, hint, createdAt, key } = await createApiKey(deps, caller.accountId, body);
    return { id, name, scopes, hint, created_at: createdAt.toISOString(), key };
  },
});

export const deleteKeyEndpoint = endpoint({
  id: 'deleteKey',
  method: 'DELETE',
  path: '/account/keys/:id',
  scope: 'write',
  session: true,
  tag: 'Account',
  summary: 'Delete an API key',
  description: 'It is refused from the next request on. This cannot be undone.',
  params: { id: Joi.string().description('The id of the key.').example(KEY.id) },
  query: none,
  body: undefined,
  answers: {
    200: {
      means: 'The key is deleted.',
      schema: named('DeletedApiKey', 'A deleted key.', { id: keyFields.id, deleted_at: time }),
      examples: { Deleted: { id: KEY.id, deleted_at: '2026-11-21T10:15:00.000Z' } },
    },
  },
  errors: [unknownParameter, 'key_not_found'],
  means: { 404: 'There is no such key of yours.' },
  sample: { path: `/api/v1/account/keys/${KEY.id}` },
  handle: async ({ caller, params }, deps) => {
    const { id, deletedAt } = await deps.keys.delete(params.id, caller.accountId);
    return { id, deleted_at: deletedAt.toISOString() };
  },
});
