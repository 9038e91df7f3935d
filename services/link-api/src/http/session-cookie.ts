import type { Sessions, SignInChecks } from '@waypost/ports';
import type { Request, Response } from 'express';
import { hashSecret } from '../use-cases/hash-secret.ts';
import { SESSION_SECONDS } from '../use-cases/sign-in.ts';

/** On https only this host may set it, for all paths (RFC 6265bis, section 4.1.3.2). */
const nameAt = (baseUrl: string, name = 'waypost') => (baseUrl.startsWith('https:') ? `__Host-${name}` : name);

const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const HEADER_MAX = 8_000;

function cookieIn(request: Request, name: string): string | undefined {
  const header = request.headers.cookie ?? '';
  if (header.length > HEADER_MAX) return undefined;
  const start = `${name}=`;
  return header
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(start))
    ?.slice(start.length);
}

export function sessionToken(request: Request, baseUrl: string): string | undefined {
  const value = cookieIn(request, nameAt(baseUrl));
  return value !== undefined && TOKEN.test(value) ? value : undefined;
}

/** Ends the session of the request's cookie. The browser gets `token` in its place, or no cookie. */
export async function replaceSession(
  { sessions, baseUrl }: { readonly sessions: Pick<Sessions, 'end'>; readonly baseUrl: string },
  request: Request,
  response: Response,
  token: string | undefined,
): Promise<void> {
  const earlier = sessionToken(request, baseUrl);
  if (earlier !== undefined) await sessions.end(hashSecret(earlier));
  response.cookie(nameAt(baseUrl), token ?? '', {
    httpOnly: true,
    sameSite: 'strict',
    secure: baseUrl.startsWith('https:'),
    path: '/',
    maxAge: token === undefined ? 0 : SESSION_SECONDS * 1000,
  });
}

const checksAt = (baseUrl: string) => nameAt(baseUrl, 'waypost-sign-in');
const CHECKS_MS = 10 * 60_000;

/** Of a sign-in that the provider has not answered yet. */
export function signInChecks(request: Request, baseUrl: string): SignInChecks | undefined {
  const [state, nonce, codeVerifier, ...rest] = (cookieIn(request, checksAt(baseUrl)) ?? '').split('.');
  if (state === undefined || nonce === undefined || codeVerifier === undefined || rest.length > 0) return undefined;
  return [state, nonce, codeVerifier].every((each) => TOKEN.test(each)) ? { state, nonce, codeVerifier } : undefined;
}

/** `Lax`, not `Strict`: it is the provider's page that leads back here. */
export function setSignInChecks(response: Response, baseUrl: string, checks: SignInChecks | undefined): void {
  response.cookie(
    checksAt(baseUrl),
    checks === undefined ? '' : `${checks.state}.${checks.nonce}.${checks.codeVerifier}`,
    {
      httpOnly: true,
      sameSite: 'lax',
      secure: baseUrl.startsWith('https:'),
      path: '/',
      maxAge: checks === undefined ? 0 : CHECKS_MS,
    },
  );
}
