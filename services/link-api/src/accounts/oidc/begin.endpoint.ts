import { DomainError } from '@waypost/domain';
import Joi from 'joi';
import { ownSession } from '../../platform/caller.ts';
import { type Call, type EndpointWith, endpoint, Reply } from '../../platform/endpoint.ts';
import { named } from '../../platform/fields.ts';
import { hashSecret } from '../../platform/hash-secret.ts';
import { PROVIDER_ANSWERS } from '../limits.ts';
import type { AccountsPorts } from '../ports.ts';
import { checksCookie, sessionToken } from '../session-cookie.ts';
import type { BegunSignIn } from './identity-provider.port.ts';

export const CALLBACK_PATH = '/session/oidc/callback';

const answers = {
  200: {
    means: 'The URL at the provider.',
    schema: named('ProviderAddress', 'The URL to open in the browser.', { url: Joi.string().meta({ format: 'uri' }) }),
    examples: { Provider: { url: 'https://login.example.org/authorize?client_id=waypost' } },
  },
};

async function begin(
  { place, signal }: Pick<Call<unknown, unknown, unknown>, 'place' | 'signal'>,
  { byProvider, baseUrl, slotsOf }: AccountsPorts,
  begun: Pick<BegunSignIn, 'purpose' | 'session'>,
) {
  if (byProvider === undefined) throw new DomainError('identity_refused', 'No OpenID Connect provider is configured.');
  // The provider may be slow, and this may be the first request to it.
  place.leave();
  const release = await slotsOf(PROVIDER_ANSWERS).take(place.site, signal);
  const { url, checks } = await byProvider.provider.begin(`${baseUrl}${CALLBACK_PATH}`).finally(release);
  return new Reply(200, { url }, { 'Set-Cookie': checksCookie(baseUrl, { ...checks, ...begun }) });
}

export const beginProviderSignInEndpoint = endpoint({
  id: 'beginProviderSignIn',
  method: 'POST',
  path: '/session/oidc',
  browser: {},
  summary: 'Begin a sign-in with the provider',
  description: 'Returns a URL at the OpenID Connect provider. Open it in the browser, which returns signed in.',
  answers,
  errors: ['identity_refused'],
  handle: (call, deps: AccountsPorts) => {
    const token = sessionToken(call.cookies(), deps.baseUrl);
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
    summary: 'Begin to connect an identity',
    description:
      'Returns a URL at the OpenID Connect provider. Open it in the browser, which returns with the identity connected to your account.',
    errors: ['identity_refused'],
    handle: (call, deps: AccountsPorts) =>
      begin(call, deps, { purpose: 'link', session: ownSession(call.caller).tokenHash }),
  }),
  endpoint({
    ...IN_A_SESSION,
    id: 'beginProof',
    path: '/account/proof/provider',
    summary: 'Begin to confirm your identity with the provider',
    description:
      'Returns a URL at the OpenID Connect provider. Open it in the browser, which returns with your identity confirmed.',
    errors: ['identity_refused'],
    handle: (call, deps: AccountsPorts) =>
      begin(call, deps, { purpose: 'prove', session: ownSession(call.caller).tokenHash }),
  }),
];
