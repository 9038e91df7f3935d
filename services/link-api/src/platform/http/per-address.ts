import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { DomainError } from '@waypost/domain';
import { clientAddress } from '@waypost/process';
import type { LinkApiDeps } from '../../deps.ts';
import type { AddressLimit } from '../limits.ts';

const ADDRESSES_MAX = 10_000;

/** Counts requests per address, in memory only. IPv6 addresses with the same first 64 bits count as one subscriber. */
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

/** Returns the first 64 bits of an IPv6 address, in which `::` stands for zeros. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = [], tail] = address.split('::').map((part) => part.split(':'));
  const zeros = tail === undefined ? [] : Array<string>(8 - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...(tail ?? [])].slice(0, 4).join(':');
}

/** Throws `too_many_attempts` if an address sends more requests than its limit. */
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
