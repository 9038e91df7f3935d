import type { Request, RequestHandler } from 'express';
import { HttpError } from './errors.ts';

export const OTHER_SITE = 'Requests from other sites are not allowed.';

/** Throws 403 unless the request comes from one of our pages. `base` is our URL as browsers see it. */
export function requireSameOrigin(request: Request, base: string): void {
  if (!isSameOrigin(request, base)) throw new HttpError(403, OTHER_SITE);
}

/** Refuses requests from pages of other sites. Programs that are not browsers send neither header and may pass. */
export function refuseOtherSites(base: string): RequestHandler {
  return (request, _response, next) => {
    const { 'sec-fetch-site': site, origin } = request.headers;
    if (site !== undefined || origin !== undefined) requireSameOrigin(request, base);
    next();
  };
}

/** Checks `Sec-Fetch-Site`. On plain http a browser may not send it, so the check then uses `Origin`. */
function isSameOrigin({ headers }: Request, base: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin } = headers;
  if (origin === undefined || !URL.canParse(origin)) return false;
  return origin === new URL(base).origin || new URL(origin).host === headers.host;
}
