/**
 * One HTTP request to an address that somebody else chose: only the public Internet is reached, unless the operator
 * allows more. We check the very addresses that we connect to, so that no name can resolve to one address for the check
 * and to another for the connection. No redirect is followed: each hop is a request of its own, with its own check.
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

/** All addresses of a name, as `dns.lookup` gives them. */
export type Resolve = (
  host: string,
  options: { readonly all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: readonly { address: string; family: number }[]) => void,
) => void;

export interface PublicRequest {
  readonly url: URL;
  /** Undefined: GET. */
  readonly method?: 'POST';
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string;
  /** Hosts and networks that may be reached although they are not public. */
  readonly allowed: AllowedHosts;
  /** Ends the request, and the response too. */
  readonly signal: AbortSignal;
  /** `dns.lookup` by default. */
  readonly resolve?: Resolve;
}

/** Rejects with `NotPublic`, without a connection, if any address of the host may not be reached. */
export function publicRequest(asked: PublicRequest): Promise<IncomingMessage> {
  const { url, method = 'GET', headers, body, allowed, signal, resolve = lookUp } = asked;
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
    // A literal address has no look-up.
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !mayReach(host, host)) return reject(notPublic());
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    request(url, { method, headers, signal, agent: false, lookup })
      .once('response', resolveWith)
      .once('error', reject)
      // Neither comes of a server that switches to another protocol (101). After them this does nothing.
      .once('close', () => reject(new Error('the connection closed without an answer')))
      .end(body);
  });
}

/**
 * By DNS alone, for names that anybody may have chosen: `dns.lookup` holds one of the four threads that the process also
 * writes files with, for as long as a name server hangs. Names that the operator allowed are looked up as usual.
 */
export function byDns(allowed: AllowedHosts, servers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  return (host, options, done) => {
    if (isAllowedHost(host, allowed)) return lookUp(host, options, done);
    void Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]).then(([four, six]) => {
      const found = [four, six].flatMap((each, i) =>
        each.status === 'fulfilled' ? each.value.map((address) => ({ address, family: i === 0 ? 4 : 6 })) : [],
      );
      done(found.length === 0 && four.status === 'rejected' ? four.reason : null, found);
    });
  };
}

/** Node's code of an error, if it has one, for a message: ` (ECONNREFUSED)`. */
export function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code) ? ` (${code})` : '';
}

const notPublic = () => new NotPublic('the address leads to a host that is not public');
