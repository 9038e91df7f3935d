import { DomainError } from '@waypost/domain';
import Joi from 'joi';
import type { EndpointDeps } from '../../deps.ts';
import { type Endpoint, endpoint, Reply } from '../../platform/endpoint.ts';
import { named } from '../../platform/fields.ts';
import { hashSecret } from '../../platform/hash-secret.ts';
import { checksCookie } from '../session-cookie.ts';
import type { BegunSignIn } from './identity-provider.port.ts';

export const CALLBACK_PATH = '/session/oidc/callback';

const answers = {
  200: {
    means: 'The address at the provider.',
    schema: named('ProviderAddress', 'Where to sign in.', { url: Joi.string().meta({ format: 'uri' }) }),
    examples: { 'A provider': { url: 'https://login.example.org/authorize?client_id=waypost' } },
  },
};

async function begin({ byProvider, baseUrl }: EndpointDeps, begun: Pick<BegunSignIn, 'purpose' | 'session'>) {
  if (byProvider === undefined) throw new DomainError('identity_refused', 'No provider is configured here.');
  const { url, checks } = await byProvider.provider.begin(`${baseUrl}${CALLBACK_PATH}`);
  return new Reply(200, { url }, { 'Set-Cookie': checksCookie(baseUrl, { ...checks, ...begun }) });
}

export const beginProviderSignInEndpoint = endpoint({
  id: 'beginProviderSignIn',
  method: 'POST',
  path: '/session/oidc',
  browser: {},
  query: undefined,
  summary: 'Begin to sign in with a provider',
  description: 'The browser goes to the address, and comes back signed in.',
  answers,
  errors: ['identity_refused'],
  handle: ({ sessionToken }, deps) => {
    const token = sessionToken();
    return begin(deps, { purpose: 'sign-in', session: token === undefined ? undefined : hashSecret(token) });
  },
});

const IN_A_SESSION = { method: 'POST', scope: 'write', session: 'needed', answers } as const;

export const inSession: readonly Endpoint[] = [
  endpoint({
    ...IN_A_SESSION,
    id: 'beginIdentity',
    path: '/account/identities',
    proof: true,
    summary: 'Begin to connect an identity of the provider',
    description: 'The browser goes to the address, and comes back with the identity connected.',
    errors: ['identity_refused'],
    handle: ({ caller }, deps) => begin(deps, { purpose: 'link', session: caller.session?.tokenHash }),
  }),
  endpoint({
    ...IN_A_SESSION,
    id: 'beginProof',
    path: '/account/proof/provider',
    summary: 'Begin to prove with the provider that it is you',
    description: 'The browser goes to the address, and comes back with a session that is proven.',
    errors: ['identity_refused'],
    handle: ({ caller }, deps) => begin(deps, { purpose: 'prove', session: caller.session?.tokenHash }),
  }),
];
