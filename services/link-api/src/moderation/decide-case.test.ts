import { expect, test } from '@jest/globals';
import { inProcessLinkCache } from '@waypost/adapter-embedded';
import { flagged, OPERATOR, unavailable } from '@waypost/domain';
import { storedSlug } from '../../test/links.ts';
import { codeOf, NOON, newOwner, openStores } from '../../test/stores.ts';
import { reviewAsRequested } from './decide-case.ts';

const NOTICE = { kind: 'report', line: 'a line' } as const;

test('a retry decides the requests that a review left open after it cleared the flag', async () => {
  const stores = await openStores();
  const { cases, links } = stores;
  const slug = await storedSlug(stores, await newOwner(stores), NOON);
  const finding = { threatType: 'phishing', reasons: [], generation: 'g2' } as const;
  await links.update(slug, (current) => flagged(current, finding, NOON));
  const number = 'aaaaaaa-bbbbbbb';
  await cases.open(
    { number, kind: 'review', slug, category: null, message: 'why', accountId: null },
    {
      notice: ({ createdAt: at }) => ({
        message: { type: 'case.opened', slug, eventId: number, body: '{}', at, traceparent: undefined },
        mail: NOTICE,
      }),
    },
  );
  const deps = { links, cases, cache: inProcessLinkCache({ size: 10 }), now: () => NOON };
  const died = { ...cases, decide: () => Promise.reject(unavailable('no database answers')) };
  const review = { decision: 'clear', reason: 'a false alarm' } as const;
  expect(await codeOf(reviewAsRequested({ ...deps, cases: died }, slug, review, OPERATOR))).toBe('unavailable');
  expect(await cases.find(number)).toMatchObject({ state: 'open' });
  expect(await codeOf(reviewAsRequested(deps, slug, review, OPERATOR))).toBe('link_not_flagged');
  expect(await cases.find(number)).toMatchObject({ state: 'upheld', reason: 'a false alarm' });
});
