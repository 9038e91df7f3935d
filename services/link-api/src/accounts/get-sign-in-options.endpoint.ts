import Joi from 'joi';
import { endpoint } from '../platform/endpoint.ts';
import { named, nullable, object } from '../platform/fields.ts';
import type { AccountsPorts } from './ports.ts';

export const getSignInOptionsEndpoint = endpoint({
  id: 'getSignInOptions',
  method: 'GET',
  path: '/session/options',
  browser: {},
  query: undefined,
  summary: 'Read how one may sign in',
  description: 'Beside a password, a passkey and a link of an administrator.',
  answers: {
    200: {
      means: 'The provider, if there is one.',
      schema: named('SignInOptions', 'How one may sign in.', {
        provider: nullable(object({ name: Joi.string() })).description('Of OpenID Connect. Null: none is configured.'),
      }),
      examples: { 'A provider': { provider: { name: 'Example' } } },
    },
  },
  handle: (_call, deps: AccountsPorts) => ({
    provider: deps.byProvider ? { name: deps.byProvider.provider.name } : null,
  }),
});
