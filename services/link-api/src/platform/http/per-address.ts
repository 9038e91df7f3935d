import { DomainError } from '@waypost/domain';
import { putLast } from '@waypost/resilience';
import type { AddressLimit } from '../limits.ts';
import type { Place } from '../place.ts';

const ADDRESSES_MAX = 10_000;
/** Behind a proxy that is not trusted, all people have one address, so it may send as much as this many. */
const SHARED_BY = 50;

/** Counts a request. Returns after how many milliseconds another is allowed: 0 if this one is. */
export type Wait = (from: Pick<Place, 'network' | 'shared'>) => number;

/** Counts requests per address, in memory only. `now` is in milliseconds. */
export function perAddress({ most, inMs }: AddressLimit, now: () => number): Wait {
  const windows = new Map<string, { count: number; readonly ends: number }>();
  return ({ network, shared }) => {
    const at = now();
    const open = windows.get(network);
    if (open !== undefined && open.ends > at)
      return ++open.count <= (shared ? SHARED_BY * most : most) ? 0 : open.ends - at;
    putLast(windows, network, { count: 1, ends: at + inMs }, ADDRESSES_MAX);
    return 0;
  };
}

/** Throws `too_many_attempts` if an address sends more requests than its limit. */
export function limitAddresses(limit: AddressLimit, now: () => Date): (from: Place) => void {
  const wait = perAddress(limit, () => now().getTime());
  return (from) => {
    const ms = wait(from);
    if (ms > 0) throw tooMany(ms);
  };
}

export function tooMany(waitMs: number): DomainError {
  const retryAfterSeconds = Math.ceil(waitMs / 1_000);
  const message = `Too many requests from your IP address. Try again in ${retryAfterSeconds} seconds.`;
  return new DomainError('too_many_attempts', message, { retryAfterSeconds });
}
