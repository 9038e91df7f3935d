import type { RequestHandler } from 'express';
import { HttpError } from './errors.ts';

/** No other site can make these names lead to this server. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Prevents DNS rebinding: refuses a request if its `Host` or `Origin` is a foreign name. Ignores ports. */
export function ownHostsOnly(hosts: readonly string[]): RequestHandler {
  const own = new Set([...LOOPBACK, ...hosts.map((host) => hostnameOf(`http://${host}`))]);
  return (request, _response, next) => {
    const { host = '', origin } = request.headers;
    if (!own.has(hostnameOf(`http://${host}`)))
      throw new HttpError(403, 'This Host is not allowed. Use the host of BASE_URL or one of OWN_HOSTS.');
    if (origin !== undefined && !own.has(hostnameOf(origin))) {
      throw new HttpError(403, 'This Origin is not allowed. Use the host of BASE_URL or one of OWN_HOSTS.');
    }
    next();
  };
}

function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}
