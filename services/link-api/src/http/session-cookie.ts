import type { Sessions } from '@waypost/ports';
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
