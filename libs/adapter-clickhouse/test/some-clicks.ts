import type { EnrichedClick } from '@waypost/domain';

const DAY_MS = 86_400_000;

/** Returns the first millisecond of the UTC day this many days ago. Use recent days, because older clicks expire. */
export const dayAgo = (days: number) => (Math.floor(Date.now() / DAY_MS) - days) * DAY_MS;
export const hourOf = (hour: number) => hour * 3_600_000;
export const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);

const lastDays = (days: number) => ({ from: dateOf(dayAgo(days - 1)), to: dateOf(dayAgo(0)) });
export const range7 = () => lastDays(7);
export const range30 = () => lastDays(30);
export const range90 = () => lastDays(90);

export const ACCOUNT = '0193a5d0-7c1e-4abc-8def-0123456789ab';

export const linkOf = (slug: string) => ({ ownerId: ACCOUNT, slug });

let count = 0;

export function clickAt(slug: string, at: number, overrides: Partial<EnrichedClick> = {}): EnrichedClick {
  count++;
  const [group1, , , group4, group5] = crypto.randomUUID().split('-');
  return {
    id: `${group1}-${count.toString(16).padStart(4, '0').slice(-4)}-7000-${group4}-${group5}`,
    accountId: ACCOUNT,
    slug,
    at,
    visitor: `${group1}${count.toString(16).padStart(8, '0')}`,
    country: 'DE',
    referrer: 'direct',
    device: 'desktop',
    browser: 'Firefox',
    isBot: false,
    ...overrides,
  };
}
