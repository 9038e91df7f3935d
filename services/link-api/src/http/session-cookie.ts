import type { Request, Response } from 'express';
import { SESSION_SECONDS } from '../use-cases/sign-in.ts';

/** On https only this host may set it, for all paths (RFC 6265bis, section 4.1.3.2). */
const nameAt = (baseUrl: string) => (baseUrl.startsWith('https:') ? '__Host-waypost' : 'waypost');

const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const HEADER_MAX = 8_000;

export function sessionToken(request: Request, baseUrl: string): string | undefined {
  const header = request.headers.cookie ?? '';
  if (header.length > HEADER_MAX) return undefined;
  const start = `${nameAt(baseUrl)}=`;
  const value = header
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(start))
    ?.slice(start.length);
  return value !== undefined && TOKEN.test(value) ? value : undefined;
}

export function setSessionCookie(response: Response, baseUrl: string, token: string | undefined): void {
  response.cookie(nameAt(baseUrl), token ?? '', {
    httpOnly: true,
    sameSite: 'strict',
    secure: baseUrl.startsWith('https:'),
    path: '/',
    maxAge: token === undefined ? 0 : SESSION_SECONDS * 1000,
  });
}
