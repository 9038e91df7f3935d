/** The address of a client is that of the connection. If the peer is a trusted proxy, it is the forwarded address. */
import type { IncomingMessage } from 'node:http';
import { type BlockList, isIPv4, SocketAddress } from 'node:net';
import { addressIn, isIn } from '@waypost/domain';

export type TrustedProxies = BlockList;

/** An IPv6 address with an embedded IPv4 address has 45 characters, and a zone may follow it. */
const ADDRESS_MAX = 64;

export type ClientAddress = (request: IncomingMessage) => string;

export function clientAddress(trusted: TrustedProxies): ClientAddress {
  const anyTrusted = trusted.rules.length > 0;
  return (request) => {
    const peer = normalAddress(request.socket.remoteAddress ?? '');
    if (!anyTrusted || !isTrusted(trusted, peer)) return peer;
    const forwarded = request.headers['x-forwarded-for'];
    return forwarded === undefined ? peer : firstUntrusted(trusted, peer, String(forwarded));
  };
}

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
