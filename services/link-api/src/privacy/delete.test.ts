import { expect, test } from '@jest/globals';
import { ERASED_DESTINATION, type RedirectRecord } from '@waypost/domain';
import { newLink } from '../../test/links.ts';
import { ERASING_LEASE_MS, type EraseDeps, eraseAccount } from './delete.ts';

const DELETED_AT = new Date('2026-11-22T12:00:00.000Z');
const after = (minutes: number) => new Date(DELETED_AT.getTime() + minutes * 60_000);
const going = new AbortController().signal;

function erasing(count: number) {
  const slugOf = (i: number) => `slug-${String(i).padStart(5, '0')}`;
  const links = Array.from({ length: count }, (_, i) => newLink({ slug: slugOf(i), tags: ['t'] }, DELETED_AT).link);
  const purged: string[] = [];
  const replaced: RedirectRecord[] = [];
  const then: string[] = [];
  const leases: Date[] = [];
  const deletion: { accountId: string; purgedAt: Date | null } = { accountId: 'a', purgedAt: null };
  const at = (now: Date): EraseDeps => ({
    deletions: {
      delete: () => Promise.reject(new Error('not here')),
      claim: async () => undefined,
      eraseLinks: async (_, { after: place, limit }, change) => {
        const from = place === undefined ? 0 : links.findIndex(({ slug }) => slug === place.slug) + 1;
        const page = links.slice(from, from + limit).map((one) => change(one)?.link ?? one);
        links.splice(from, page.length, ...page);
        return page;
      },
      eraseMessages: async () => void then.push('messages'),
      postpone: async (_, until) => {
        if (until.getTime() - now.getTime() === ERASING_LEASE_MS) leases.push(until);
        else then.push(until.toISOString());
      },
      purged: async (_, firstAt, until) => {
        deletion.purgedAt = firstAt;
        then.push(until.toISOString());
      },
      finish: async () => void then.push('finished'),
    },
    clicks: { purge: async (accountId) => void purged.push(accountId) },
    cache: { put: async (records) => void replaced.push(...records) },
    now: () => now,
  });
  return { at, deletion, links, purged, replaced, then, leases };
}

test('revokes and erases every link, and purges the clicks of the account once', async () => {
  const { at, deletion, links, purged, replaced, then } = erasing(4_501);
  await eraseAccount(at(after(0)), deletion, going);
  expect(
    links.every(
      ({ status, destinationUrl, tags }) =>
        status === 'revoked' && destinationUrl === ERASED_DESTINATION && tags.length === 0,
    ),
  ).toBe(true);
  expect(purged).toEqual([deletion.accountId]);
  expect(replaced).toHaveLength(4_501);
  expect(replaced.every(({ status, version }) => status === 'revoked' && version === 2)).toBe(true);
  expect(then).toEqual(['messages', after(10).toISOString()]);
});

test.each([
  ['', 0],
  [' that works, if the click store was away for two days', 2 * 24 * 60],
])('repeats the erasure ten minutes and a day after the first purge%s, then forgets the account', async (_, first) => {
  const { at, deletion, purged, replaced, then } = erasing(3);
  for (const minutes of [0, 10, 24 * 60]) await eraseAccount(at(after(first + minutes)), deletion, going);
  expect(then.filter((what) => what !== 'messages')).toEqual([
    after(first + 10).toISOString(),
    after(first + 24 * 60).toISOString(),
    'finished',
  ]);
  expect(purged).toHaveLength(3);
  // A link that is already erased does not change again.
  expect(replaced.every(({ version }) => version === 2)).toBe(true);
});

test('revokes links and deletes messages even if the click store is down', async () => {
  const { at, deletion, links, then } = erasing(4_501);
  const away = { ...at(after(0)), clicks: { purge: () => Promise.reject(new Error('the click store is away')) } };
  await expect(eraseAccount(away, deletion, going)).rejects.toThrow('is away');
  expect(links.every(({ status }) => status === 'revoked')).toBe(true);
  expect(then).toEqual(['messages']);
});

test('renews its lease during a long pass, and gives the lease back when stopped', async () => {
  const { at, deletion, then, leases } = erasing(4_501);
  await eraseAccount(at(after(0)), deletion, going);
  expect(leases.length).toBeGreaterThanOrEqual(10);
  const stopped = erasing(3);
  await eraseAccount(stopped.at(after(0)), deletion, AbortSignal.abort());
  expect(stopped.then).toEqual([after(0).toISOString()]);
  expect(then).toHaveLength(2);
});
