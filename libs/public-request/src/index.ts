/**
 * Sends one HTTP request to an address that somebody else chose. It reaches only the public Internet, unless the
 * operator allows more. The check uses the same address as the connection. So a name cannot resolve to one address for
 * the check and to another for the connection. Redirects are not followed: each hop is a separate request with its own
 * check.
 */
import { lookup as lookUp } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { type IncomingMessage, type OutgoingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { type AllowedHosts, addressIn, isAllowedHost, isPublicIp } from '@waypost/domain';

export class NotPublic extends Error {
  override readonly name = 'NotPublic';
}

export type Resolve = (
  host: string,
  options: { readonly all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: readonly { address: string; family: number }[]) => void,
) => void;

export interface PublicRequest {
  readonly url: URL;
  /** The default is GET. */
  readonly method?: 'POST';
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string;
  /** Hosts and networks that may be reached although they are not public. */
  readonly allowed: AllowedHosts;
  /** Aborts the request, and also the response. */
  readonly signal: AbortSignal;
  /** The default is `dns.lookup`. */
  readonly resolve?: Resolve;
}

/** Rejects with `NotPublic`, before it connects, if any address of the host may not be reached. */
export function publicRequest(request: PublicRequest): Promise<IncomingMessage> {
  const { url, method = 'GET', headers, body, allowed, signal, resolve = lookUp } = request;
  const mayReach = (host: string, address: string) => {
    const ip = addressIn(address);
    return ip !== undefined && (isPublicIp(ip) || isAllowedHost(host, allowed) || isAllowedHost(ip, allowed));
  };
  const lookup: LookupFunction = (host, options, done) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, '');
      if (addresses.length === 0 || !addresses.every(({ address }) => mayReach(host, address)))
        return done(notPublic(), '');
      return options.all === true
        ? done(null, [...addresses])
        : done(null, addresses[0]!.address, addresses[0]!.family);
    });
  };
  return new Promise((resolveWith, reject) => {
    // An IP address in the URL is not looked up, so it is checked here.
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !mayReach(host, host)) return reject(notPublic());
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    request(url, { method, headers, signal, agent: false, lookup })
      .once('response', resolveWith)
      .once('error', reject)
      // An answer 101 has no body and switches the connection to another protocol, which nobody asked for.
      .once('upgrade', (answer, socket) => {
        socket.destroy();
        resolveWith(answer);
      })
      // After one of these events, this has no effect.
      .once('close', () => reject(new Error('the connection was closed without a response')))
      .end(body);
  });
}

/**
 * `dns.lookup` blocks one of four threads while a name server hangs; the process also needs these threads for files. So
 * names that anybody may have chosen are resolved by DNS alone. Names that the operator allowed use `dns.lookup`.
 */
export function byDns(allowed: AllowedHosts, servers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  return (host, options, done) => {
    if (isAllowedHost(host, allowed)) return lookUp(host, options, done);
    void Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]).then(([four, six]) => {
      const addresses = [four, six].flatMap((each, i) =>
        each.status === 'fulfilled' ? each.value.map((address) => ({ address, family: i === 0 ? 4 : 6 })) : [],
      );
      done(addresses.length === 0 && four.status === 'rejected' ? four.reason : null, addresses);
    });
  };
}

/** Returns Node's code of an error for a message, such as ` (ECONNREFUSED)`. Empty if it has none. */
export function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code) ? ` (${code})` : '';
}

const notPublic = () => new NotPublic('the host is not public');
