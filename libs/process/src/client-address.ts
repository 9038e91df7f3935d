/** The address of a client is that of the connection. If the peer is a trusted proxy, it is the forwarded address. */
import type { IncomingMessage } from 'node:http';
import { type BlockList, isIPv4, isIPv6, type Socket, SocketAddress } from 'node:net';
import { addressIn, isIn, isPublicIp } from '@waypost/domain';
import type { HealthCheck, Logger } from '@waypost/telemetry';

export type TrustedProxies = BlockList;

/** An IPv6 address with an embedded IPv4 address has 45 characters, and a zone may follow it. */
const ADDRESS_MAX = 64;

export type ClientAddress = (request: IncomingMessage) => string;

/** `proxies` learns of each peer that forwards requests of others and is not trusted. */
export function clientAddress(trusted: TrustedProxies, proxies?: Pick<UntrustedProxies, 'saw'>): ClientAddress {
  const anyTrusted = trusted.rules.length > 0;
  return ({ socket, headers }) => {
    const peer = peerOf(socket);
    const forwarded = headers['x-forwarded-for'];
    if (anyTrusted && isTrusted(trusted, peer))
      return forwarded === undefined ? peer : firstUntrusted(trusted, peer, String(forwarded));
    if (proxies !== undefined && (forwarded !== undefined || headers.forwarded !== undefined)) proxies.saw(peer);
    return peer;
  };
}

export type UntrustedProxies = ReturnType<typeof untrustedProxies>;

const PROXIES_MAX = 100;
const SEEN_FOR_MS = 60 * 60_000;

/** A peer without a public address may be a proxy, whatever it sends. A stranger on the Internet has a public one. */
export const mayBeProxy = (peer: string): boolean => peer === '' || !isPublicIp(peer);

/**
 * Proxies in front of this service that `TRUSTED_PROXIES` does not name: all their clients have one address. Anybody may
 * send the header, so only a peer counts that may be a proxy.
 */
export function untrustedProxies(logger: Pick<Logger, 'warn'>, now: () => number = Date.now) {
  const seen = new Map<string, number>();
  const isRecent = (at: number | undefined) => at !== undefined && now() - at < SEEN_FOR_MS;
  const health: HealthCheck = {
    required: false,
    check: () => {
      const latest = [...seen].findLast(([, at]) => isRecent(at))?.[0];
      return latest === undefined ? { ok: true } : { ok: false, detail: untrusted(latest) };
    },
  };
  return {
    /** `peer` sent a request with the header of a proxy. */
    saw(peer: string): void {
      if (peer === '' || !mayBeProxy(peer)) return;
      // The log names each proxy once.
      if (!seen.delete(peer)) {
        if (seen.size === PROXIES_MAX) return;
        logger.warn(untrusted(peer));
      }
      seen.set(peer, now());
    },
    /** True if `address` is that of a proxy which was seen in the last hour. */
    has: (address: string) => isRecent(seen.get(address)),
    health,
  };
}

const untrusted = (peer: string) =>
  `the proxy at ${peer} is not in TRUSTED_PROXIES, so all its clients share one address`;

/** Returns an IPv4 address, or the first `bits` (a multiple of 16) of an IPv6 address. */
export function networkOf(address: string, bits: number): string {
  if (!isIPv6(address)) return address;
  const [head = [], tail] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = tail === undefined ? [] : Array<string>(8 - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...(tail ?? [])].slice(0, bits / 16).join(':');
}

export const peerOf = (socket: Pick<Socket, 'remoteAddress'>): string => normalAddress(socket.remoteAddress ?? '');

/**
 * Each proxy adds the address of its peer on the right. What is left of an untrusted address may be false. Empty
 * elements of a list mean nothing (RFC 9110, 5.6.1).
 */
function firstUntrusted(trusted: TrustedProxies, peer: string, forwarded: string): string {
  let client = peer;
  for (const hop of forwarded.split(',').reverse()) {
    const text = hop.trim();
    if (text === '') continue;
    const address = canonicalAddress(withoutPort(text));
    if (address === undefined) return client;
    client = address;
    if (!isTrusted(trusted, address)) return client;
  }
  return client;
}

function isTrusted(trusted: TrustedProxies, address: string): boolean {
  return address !== '' && isIn(trusted, address);
}

/**
 * Each visitor must have one spelling, so this returns the spelling of the operating system, with IPv4 for an
 * IPv4-mapped address.
 */
function normalAddress(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}

function canonicalAddress(text: string): string | undefined {
  if (text.length > ADDRESS_MAX) return undefined;
  if (isIPv4(text)) return text;
  if (addressIn(text) !== text) return undefined;
  return normalAddress(new SocketAddress({ address: text, family: 'ipv6' }).address);
}

function withoutPort(hop: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop)?.[1] ?? hop;
}
