import { DomainError } from '@waypost/domain';
import Joi from 'joi';
import { endpoint, Reply } from '../../platform/endpoint.ts';
import { named } from '../../platform/fields.ts';
import { checksCookie } from '../session-cookie.ts';

export const CALLBACK_PATH = '/session/oidc/callback';

export const beginProviderSignInEndpoint = endpoint({
  id: 'beginProviderSignIn',
  method: 'POST',
  path: '/session/oidc',
  browser: {},
  query: undefined,
  summary: 'Begin to sign in with a provider',
  description: 'The browser goes to the address, and comes back signed in.',
  answers: {
    200: {
      means: 'The address at the provider.',
      schema: named('ProviderAddress', 'Where to sign in.', { url: Joi.string().meta({ format: 'uri' }) }),
      examples: { 'A provider': { url: 'https://login.example.org/authorize?client_id=waypost' } },
    },
  },
  errors: ['identity_refused'],
  handle: async (_call, { byProvider, baseUrl }) => {
    if (byProvider === undefined) throw new DomainError('identity_refused', 'No provider is configured here.');
    const { url, checks } = await byProvider.provider.begin(`${baseUrl}${CALLBACK_PATH}`);
    return new Reply(200, { url }, { 'Set-Cookie': checksCookie(baseUrl, checks) });
  },
});
