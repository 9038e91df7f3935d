import type { Request, RequestHandler } from 'express';
import { HttpError } from './errors.ts';

/** 403 unless the page that makes the request is one of ours. `base` is the address under which browsers see us. */
export function requireSameOrigin(request: Request, base: string): void {
  if (!isSameOrigin(request, base)) throw new HttpError(403, 'This request comes from another site.');
}

/** Refuses what a page of another site makes a browser send. A client that is no browser sends neither header. */
export function refuseOtherSites(base: string): RequestHandler {
  return (request, _response, next) => {
    const { 'sec-fetch-site': site, origin } = request.headers;
    if (site !== undefined || origin !== undefined) requireSameOrigin(request, base);
    next();
  };
}

/** By `Sec-Fetch-Site`; by `Origin` in a browser or on an address that has none (it comes with https and on localhost). */
function isSameOrigin({ headers }: Request, base: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin } = headers;
  if (origin === undefined || !URL.canParse(origin)) return false;
  return origin === new URL(base).origin || new URL(origin).host === headers.host;
}
