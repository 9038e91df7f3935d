import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { DomainError } from '@waypost/domain';
import { clientAddress } from '@waypost/process';
import type { LinkApiDeps } from '../deps.ts';
import type { AddressLimit } from '../limits.ts';

/** The oldest are forgotten. */
const ADDRESSES_MAX = 10_000;

/**
 * Whether an address may do something once more. Of IPv6 the first 64 bits count, which is what one subscriber has.
 * Addresses are in memory alone.
 */
export function perAddress({ most, inMs }: AddressLimit, now: () => Date): (address: string) => boolean {
  const windows = new Map<string, { count: number; readonly ends: number }>();
  return (address) => {
    const at = now().getTime();
    const network = networkOf(address);
    const open = windows.get(network);
    if (open !== undefined && open.ends > at) return ++open.count <= most;
    windows.delete(network);
    windows.set(network, { count: 1, ends: at + inMs });
    for (const oldest of windows.keys()) {
      if (windows.size <= ADDRESSES_MAX) break;
      windows.delete(oldest);
    }
    return true;
  };
}

/** The first 64 bits of an IPv6 address, which has a gap of zeros at most once. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = [], tail] = address.split('::').map((part) => part.split(':'));
  const zeros = tail === undefined ? [] : Array<string>(8 - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...(tail ?? [])].slice(0, 4).join(':');
}

/** Throws `too_many_attempts` for a request whose address has sent as many others in a minute as it may. */
export function limitAddresses(
  limit: AddressLimit,
  { trustedProxies, now }: Pick<LinkApiDeps, 'trustedProxies' | 'now'>,
): (request: IncomingMessage) => void {
  const addressOf = clientAddress(trustedProxies);
  const may = perAddress(limit, now);
  return (request) => {
    if (may(addressOf(request))) return;
    throw new DomainError('too_many_attempts', 'Too many attempts. Try again in a minute.', { retryAfterSeconds: 60 });
  };
}
