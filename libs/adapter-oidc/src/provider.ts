import { unavailable } from '@waypost/domain';
import type { ConfiguredProvider, Identity, IdentityProvider, SignInChecks } from '@waypost/ports';
import { sharedAnswers } from '@waypost/resilience';
import type { Logger } from '@waypost/telemetry';
import type { Configuration } from 'openid-client';
import type { OidcSettings } from './settings.ts';

export interface OpenIdProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly name: string;
  readonly logger: Logger;
  /** For tests on loopback. */
  readonly allowHttp?: boolean;
}

/** Undefined if there is none. */
export function configuredProvider(read: OidcSettings, logger: Logger): ConfiguredProvider | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = read;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  return {
    provider: openIdProvider({ issuer, clientId, clientSecret, name: read.oidcDisplayName, logger }),
    linkByEmail: read.oidcLinkByEmail === 'on',
    allowedDomains: read.oidcAllowedDomains,
  };
}

/** Of one request to the provider; a caller is answered within 5 s. */
const ANSWER_S = 2;
/** What the provider says of itself may change. */
const DISCOVERED_MS = 3_600_000;

/** Asks the provider nothing before somebody wants to sign in, so that one that is away delays nothing else. */
export function openIdProvider(options: OpenIdProvider): IdentityProvider {
  const { issuer, clientId, clientSecret, name, logger, allowHttp = false } = options;
  const discovered = sharedAnswers<Configuration>({ keepMs: DISCOVERED_MS, size: 1 });
  const never = new AbortController().signal;
  const away = (cause: unknown) =>
    unavailable(`Signing in with ${name} does not work right now: it does not answer.`, cause);

  const discovery = () =>
    discovered
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
        // Not its cause, which holds what the browser sent.
        logger.warn('a sign-in by the provider was refused', { issuer, why: why.slice(0, 200) });
        return undefined;
      }
    },
  };
}

/** With the first sign-in. */
const openIdClient = () => import('openid-client');

/** Why the provider or the library says no; undefined if there was no answer, or none that makes sense. */
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
  // By the standard, the address is not in the token of this flow, but asked with it; many put it into both.
  const { email, email_verified: isVerified } =
    claims.email === undefined ? await client.fetchUserInfo(configuration, tokens.access_token, subject) : claims;
  return { issuer, subject, email: typeof email === 'string' && isVerified === true ? email : undefined };
}
