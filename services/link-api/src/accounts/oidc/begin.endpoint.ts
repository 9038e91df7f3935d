import { DomainError } from '@waypost/domain';
import Joi from 'joi';
import { ownSession } from '../../platform/caller.ts';
import { type Call, endpoint, Reply } from '../../platform/endpoint.ts';
import { named } from '../../platform/fields.ts';
import { hashSecret } from '../../platform/hash-secret.ts';
import type { EndpointWith } from '../../platform/slice.ts';
import type { AccountsPorts } from '../ports.ts';
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

async function begin(
  { place, signal }: Pick<Call<unknown, unknown, unknown>, 'place' | 'signal'>,
  { byProvider, baseUrl, turns }: AccountsPorts,
  begun: Pick<BegunSignIn, 'purpose' | 'session'>,
) {
  if (byProvider === undefined) throw new DomainError('identity_refused', 'No provider is configured here.');
  // The provider may be slow, and this may be the first request to it.
  place.leave();
  const release = await turns.providerAnswers.take(place.site, signal);
  const { url, checks } = await byProvider.provider.begin(`${baseUrl}${CALLBACK_PATH}`).finally(release);
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
  handle: (call, deps: AccountsPorts) => {
    const token = call.sessionToken();
    return begin(call, deps, { purpose: 'sign-in', session: token === undefined ? undefined : hashSecret(token) });
  },
});

const IN_A_SESSION = { method: 'POST', scope: 'write', session: 'needed', answers } as const;

export const inSession: readonly EndpointWith<AccountsPorts>[] = [
  endpoint({
    ...IN_A_SESSION,
    id: 'beginIdentity',
    path: '/account/identities',
    proof: true,
    summary: 'Begin to connect an identity of the provider',
    description: 'The browser goes to the address, and comes back with the identity connected.',
    errors: ['identity_refused'],
    handle: (call, deps: AccountsPorts) =>
      begin(call, deps, { purpose: 'link', session: ownSession(call.caller).tokenHash }),
  }),
  endpoint({
    ...IN_A_SESSION,
    id: 'beginProof',
    path: '/account/proof/provider',
    summary: 'Begin to prove with the provider that it is you',
    description: 'The browser goes to the address, and comes back with a session that is proven.',
    errors: ['identity_refused'],
    handle: (call, deps: AccountsPorts) =>
      begin(call, deps, { purpose: 'prove', session: ownSession(call.caller).tokenHash }),
  }),
];
