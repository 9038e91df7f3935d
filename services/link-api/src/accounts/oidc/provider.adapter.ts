import { unavailable } from '@waypost/domain';
import { sharedAnswers } from '@waypost/resilience';
import type { Logger } from '@waypost/telemetry';
import type { Configuration } from 'openid-client';
import type { ConfiguredProvider, Identity, IdentityProvider, SignInChecks } from './identity-provider.port.ts';
import type { OidcSettings } from './settings.ts';

export interface OpenIdProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly name: string;
  readonly logger: Logger;
  /** Tests set this, because their provider runs on loopback without https. */
  readonly allowHttp?: boolean;
}

export function configuredProvider(read: OidcSettings, logger: Logger): ConfiguredProvider | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = read;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  return {
    provider: openIdProvider({ issuer, clientId, clientSecret, name: read.oidcDisplayName, logger }),
    linkByEmail: read.oidcLinkByEmail === 'on',
    allowedDomains: read.oidcAllowedDomains,
  };
}

/** The time limit of one request to the provider. A caller must get an answer within 5 s. */
const ANSWER_S = 2;
/** The provider's metadata may change, so it is read again after this time. */
const DISCOVERED_MS = 3_600_000;

/** Contacts the provider only when somebody signs in, so a provider that is down delays nothing else. */
export function openIdProvider(options: OpenIdProvider): IdentityProvider {
  const { issuer, clientId, clientSecret, name, logger, allowHttp = false } = options;
  const discoveryCache = sharedAnswers<Configuration>({ keepMs: DISCOVERED_MS, size: 1 });
  const never = new AbortController().signal;
  const away = (cause: unknown) =>
    unavailable(`Sign-in with ${name} is not available right now: the provider does not respond.`, cause);

  const discovery = () =>
    discoveryCache
      .get('', never, async () => {
        const client = await openIdClient();
        return client.discovery(new URL(issuer), clientId, clientSecret, undefined, {
          timeout: ANSWER_S,
          execute: allowHttp ? [client.allowInsecureRequests] : [],
        });
      })
      .catch((error: unknown) => {
        throw away(error);
      });

  return {
    name,
    begin: async (redirectUrl) => {
      const configuration = await discovery();
      const client = await openIdClient();
      const checks = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        codeVerifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUrl,
        scope: 'openid email',
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(checks.codeVerifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, checks };
    },
    finish: async (callback, checks) => {
      const configuration = await discovery();
      try {
        return await identityOf(configuration, callback, checks);
      } catch (error) {
        const why = await refusal(error);
        if (why === undefined) throw away(error);
        // The error's cause contains data from the browser, so the log does not get it.
        logger.warn('a sign-in by the provider was refused', { issuer, why: why.slice(0, 200) });
        return undefined;
      }
    },
  };
}

const openIdClient = () => import('openid-client');

/** Returns why the provider or the library refused. Undefined if there was no answer or a malformed answer. */
async function refusal(error: unknown): Promise<string | undefined> {
  const { AuthorizationResponseError, ClientError, ResponseBodyError } = await openIdClient();
  if (error instanceof ResponseBodyError) return error.status < 500 ? error.error : undefined;
  if (error instanceof AuthorizationResponseError) return error.error;
  const isOurs = error instanceof ClientError && error.code !== undefined && !NO_ANSWER.has(error.code);
  return isOurs ? `${error.code}: ${error.message}` : undefined;
}

const NO_ANSWER = new Set(['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM']);

/** The library checks state, issuer, signature, audience, nonce and times. */
async function identityOf(
  configuration: Configuration,
  callback: URL,
  { state, nonce, codeVerifier }: SignInChecks,
): Promise<Identity> {
  const client = await openIdClient();
  const tokens = await client.authorizationCodeGrant(configuration, callback, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: codeVerifier,
  });
  const { iss: issuer, sub: subject, ...claims } = tokens.claims()!;
  // The standard has the address at the UserInfo endpoint, but many providers also put it into the token.
  const { email, email_verified: isVerified } =
    claims.email === undefined ? await client.fetchUserInfo(configuration, tokens.access_token, subject) : claims;
  return { issuer, subject, email: typeof email === 'string' && isVerified === true ? email : undefined };
}
