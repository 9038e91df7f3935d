import Joi from 'joi';
import { endpoint } from '../platform/endpoint.ts';
import { named, nullable, object } from '../platform/fields.ts';
import type { AccountsPorts } from './ports.ts';

export const getSignInOptionsEndpoint = endpoint({
  id: 'getSignInOptions',
  method: 'GET',
  path: '/session/options',
  browser: {},
  summary: 'Get the sign-in options',
  description:
    'Returns the OpenID Connect provider, if one is configured. A password, a passkey and a sign-in link always work.',
  answers: {
    200: {
      means: 'The sign-in options.',
      schema: named('SignInOptions', 'The ways to sign in.', {
        provider: nullable(object({ name: Joi.string() })).description(
          'The OpenID Connect provider. Null if none is configured.',
        ),
      }),
      examples: { 'With a provider': { provider: { name: 'Example' } } },
    },
  },
  handle: (_call, deps: AccountsPorts) => ({
    provider: deps.byProvider ? { name: deps.byProvider.provider.name } : null,
  }),
});
