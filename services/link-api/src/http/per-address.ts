import { parseIpv6 } from '@waypost/domain';

/** The oldest are forgotten. */
const ADDRESSES_MAX = 10_000;

/**
 * Whether an address may do something once more: `limit` times in `windowMs`, in this process. Of IPv6 the first 64 bits
 * count, which is what one subscriber has. Addresses are in memory alone.
 */
export function perAddress(limit: number, windowMs: number, now: () => Date): (address: string) => boolean {
  const windows = new Map<string, { count: number; readonly ends: number }>();
  return (address) => {
    const at = now().getTime();
    const network = parseIpv6(address)?.slice(0, 4).join(':') ?? address;
    const open = windows.get(network);
    if (open !== undefined && open.ends > at) return ++open.count <= limit;
    windows.delete(network);
    windows.set(network, { count: 1, ends: at + windowMs });
    for (const oldest of windows.keys()) {
      if (windows.size <= ADDRESSES_MAX) break;
      windows.delete(oldest);
    }
    return true;
  };
}
