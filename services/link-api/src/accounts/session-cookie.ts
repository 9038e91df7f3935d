import { hashSecret } from '../platform/hash-secret.ts';
import { type BegunSignIn, PURPOSES } from './oidc/identity-provider.port.ts';
import type { Sessions } from './sessions.port.ts';
import { SESSION_SECONDS } from './start-session.ts';

/** With https, the prefix `__Host-` lets only this host set the cookie (RFC 6265bis, section 4.1.3.2). */
const nameAt = (baseUrl: string, name = 'waypost') => (baseUrl.startsWith('https:') ? `__Host-${name}` : name);

const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const HEADER_MAX = 8_000;
/** Browsers keep fewer for a host. Strangers' headers are searched, too, so this must cost little. */
const COOKIES_MAX = 200;

function cookieIn(header: string, name: string): string | undefined {
  if (header.length > HEADER_MAX) return undefined;
  const start = `${name}=`;
  return header
    .split(';', COOKIES_MAX)
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(start))
    ?.slice(start.length);
}

/** If there is no value, the header makes the browser delete the cookie. */
function cookie(baseUrl: string, name: string, sameSite: 'Strict' | 'Lax', maxAge: number, value?: string): string {
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
  const age = value === undefined ? 0 : maxAge;
  return `${name}=${value ?? ''}; Max-Age=${age}; Path=/; HttpOnly${secure}; SameSite=${sameSite}`;
}

export function sessionToken(header = '', baseUrl: string): string | undefined {
  const value = cookieIn(header, nameAt(baseUrl));
  return value !== undefined && TOKEN.test(value) ? value : undefined;
}

/** Ends the session of the cookies. Resolves to a `Set-Cookie` header that stores `token`, or that removes it. */
export async function replaceSession(
  { sessions, baseUrl }: { readonly sessions: Pick<Sessions, 'end'>; readonly baseUrl: string },
  cookies: string | undefined,
  token: string | undefined,
): Promise<string> {
  const earlier = sessionToken(cookies, baseUrl);
  if (earlier !== undefined) await sessions.end(hashSecret(earlier));
  return sessionCookie(baseUrl, token);
}

export const sessionCookie = (baseUrl: string, token: string | undefined): string =>
  cookie(baseUrl, nameAt(baseUrl), 'Strict', SESSION_SECONDS, token);

const deviceAt = (baseUrl: string) => nameAt(baseUrl, 'waypost-device');
/** Browsers keep no cookie longer. */
const DEVICE_SECONDS = 400 * 24 * 3600;

export const deviceCookie = (baseUrl: string, device: string): string =>
  cookie(baseUrl, deviceAt(baseUrl), 'Strict', DEVICE_SECONDS, device);

export const deviceIn = (header = '', baseUrl: string): string | undefined => cookieIn(header, deviceAt(baseUrl));

const checksAt = (baseUrl: string) => nameAt(baseUrl, 'waypost-sign-in');
const CHECKS_SECONDS = 10 * 60;

export function signInChecks(header = '', baseUrl: string): BegunSignIn | undefined {
  const [state, nonce, codeVerifier, begun = 'sign-in', session = '', ...rest] = (
    cookieIn(header, checksAt(baseUrl)) ?? ''
  ).split('.');
  if (state === undefined || nonce === undefined || codeVerifier === undefined || rest.length > 0) return undefined;
  const purpose = PURPOSES.find((each) => each === begun);
  if (purpose === undefined || ![state, nonce, codeVerifier].every((each) => TOKEN.test(each))) return undefined;
  return {
    state,
    nonce,
    codeVerifier,
    purpose,
    session: TOKEN.test(session) ? Buffer.from(session, 'base64url') : undefined,
  };
}

/** The cookie is `Lax`, because a `Strict` cookie is not sent when the provider's page redirects here. */
export function checksCookie(baseUrl: string, begun: BegunSignIn | undefined): string {
  const parts = begun && [begun.state, begun.nonce, begun.codeVerifier];
  if (begun?.session !== undefined) parts?.push(begun.purpose, begun.session.toString('base64url'));
  return cookie(baseUrl, checksAt(baseUrl), 'Lax', CHECKS_SECONDS, parts?.join('.'));
}
