import { beforeEach, expect, test } from '@jest/globals';
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { type Answers, account, hidden, link, press, see, show } from '../../test/screen.tsx';
import { Home } from './home.tsx';
import { lastVisit } from './visits.ts';

const NOW = Date.now();
const DAY_MS = 24 * 60 * 60_000;
const at = (days: number) => new Date(NOW + days * DAY_MS).toISOString();

beforeEach(() => {
  localStorage.clear();
  history.replaceState(null, '', '/');
});

/** `previous` has the clicks of the period before, with bots and without. */
const overview = (query: string, previous: readonly [all: number, people: number] | null) => {
  const withBots = !query.includes('bots=exclude');
  const before = previous?.[withBots ? 0 : 1];
  return {
    period: query.includes('90d') ? '90d' : '7d',
    total_clicks: withBots ? 12 : 9,
    bot_clicks: withBots ? 3 : 0,
    unique_visitors: 4,
    time_series: [1, 2, 3].map((day) => ({ date: `2026-01-0${day}`, clicks: withBots ? 4 : 3 })),
    top_referrers: [],
    top_countries: [],
    top_devices: [],
    top_browsers: [],
    top_links: [
      { slug: 'summer', title: 'Summer menu', clicks: 6 },
      { slug: 'aB3dE6g', title: null, clicks: 3 },
    ],
    previous: before === undefined ? null : { total_clicks: before, unique_visitors: 8 },
    links: { created: 1, flagged: 0, revoked: 0 },
  };
};

const webhook = (id: string, fields: object) => ({
  id,
  url: `https://${id}.example.org/`,
  events: ['link.flagged'],
  enabled: true,
  disabled_reason: null,
  disabled_at: null,
  failing_since: null,
  created_at: at(-90),
  ...fields,
});
const review = (slug: string, state: string, decidedAt: string | null) => ({
  number: `case-${slug}`,
  slug,
  state,
  reason: 'We looked.',
  decided_at: decidedAt,
});
const page = (data: readonly object[]) =>
  [200, { data, total: data.length, total_pages: 1, limit: 20, next: null }] as const;

const answers = (changed: Answers = {}): Answers => ({
  'GET /api/v1/facets': () => [200, { total: 3, statuses: { active: 3, flagged: 0, revoked: 0 }, tags: [] }],
  'GET /api/v1/analytics': ({ query }) => [200, overview(query, query.includes('90d') ? null : [10, 10])],
  'GET /api/v1/links': () => page([]),
  'GET /api/v1/review-requests': () => page([]),
  'GET /api/v1/webhooks': () => page([]),
  'GET /api/v1/account/keys': () => page([]),
  ...changed,
});

const NO_LINKS = { total: 0, statuses: { active: 0, flagged: 0, revoked: 0 }, tags: [] };
const FORBIDDEN = { error: 'forbidden', message: 'Refused.' };

const home = () => <Home account={account} />;
const figures = () => [...document.querySelectorAll('.fig')].map(({ textContent }) => textContent);
const lines = () => [...document.querySelectorAll('.looks li')].map(({ textContent }) => textContent);
const isRead = () => waitFor(() => expect(document.querySelector('aside [aria-busy]')).toBeNull());

test('each figure has its change, "new" where there was nothing before, and none for 90 days', async () => {
  show(home(), answers());
  await see('Nothing needs your attention.');
  await waitFor(() => expect(figures()).toEqual(['12+20%Clicks', '9-10%People', '3newBots', '4-50%Unique visitors']));
  await see(/^Changes are compared with the previous 7 days\./);
  expect(screen.getByRole('link', { name: 'Summer menu' }).getAttribute('href')).toBe('/links/summer');
  expect(screen.getByRole('link', { name: 'aB3dE6g' }).getAttribute('href')).toBe('/links/aB3dE6g');
  fireEvent.click(screen.getByLabelText('Include bots'));
  expect(figures()).toEqual(['9-10%Clicks', '4-50%Unique visitors']);
  press('90 days');
  await see(/^No changes are shown, because clicks are kept for only 100 days/);
  expect(figures()).toEqual(['9Clicks', '4Unique visitors']);
});

test('only what is new, fails or ends soon needs a look, and a long part leads to its list', async () => {
  const flagged = (slug: string, days: number) => ({
    ...link(slug, 'flagged'),
    threat_type: 'scam',
    updated_at: at(days),
  });
  show(
    home(),
    answers({
      'GET /api/v1/links': ({ query }) =>
        query.includes('sort=ends_at')
          ? page([
              { ...link('sale'), title: 'Spring sale', ends_at: at(6) },
              { ...link('later'), ends_at: at(8) },
            ])
          : page([...'abcdef'].map((slug) => flagged(slug, -1))),
      'GET /api/v1/review-requests': ({ query }) => {
        // Only the server knows all reviews of an account. Without earlier visits, thirty days are shown.
        const since = Date.parse(new URLSearchParams(query).get('decided_since') ?? '');
        expect(Math.abs(since - Date.parse(at(-30)))).toBeLessThan(DAY_MS);
        return page([review('new', 'upheld', at(-2))]);
      },
      'GET /api/v1/webhooks': () =>
        page([
          webhook('well', {}),
          webhook('fails', { failing_since: at(-1) }),
          webhook('mine', { enabled: false, disabled_reason: 'owner', disabled_at: at(-1), failing_since: at(-2) }),
          webhook('gone', { enabled: false, disabled_reason: 'gone', disabled_at: at(-1) }),
        ]),
      'GET /api/v1/account/keys': () =>
        page([13, 15].map((days) => ({ id: `${days}`, name: `in ${days} days`, expires_at: at(days) }))),
    }),
  );
  await see('in 13 days');
  await isRead();
  expect(lines()).toEqual([
    ...[...'abcde'].map((slug) => `${slug} 24 hours agoFlagged: suspected of a scam.`),
    'All flagged links',
    'new 2 days agoCleared: your review request was upheld.We looked.',
    expect.stringContaining('Spring sale This link ends on'),
    expect.stringContaining('fails.example.org This webhook is failing. No delivery has succeeded since'),
    expect.stringMatching(
      /^gone\.example\.org This webhook has been disabled since .* The receiver returned 410 Gone\.$/,
    ),
    expect.stringContaining('in 13 days This API key expires on'),
  ]);
  expect(screen.getByRole('link', { name: 'All flagged links' }).getAttribute('href')).toBe(
    '/links?status=flagged&sort=updated_at',
  );
});

test('administrators see how many reports and reviews wait, and other people do not ask', async () => {
  const counts = { report: { open: 3, oldest_at: at(-1) }, review: { open: 0, oldest_at: null } };
  const sent = show(
    <Home account={{ ...account, admin: true }} />,
    answers({ 'GET /api/v1/admin/cases/count': () => [200, counts] }),
  );
  await see('3 reports');
  await isRead();
  expect(lines()).toEqual(['3 reports 24 hours agoWaiting for a decision. The age shown is that of the oldest case.']);
  expect(screen.getByRole('link', { name: '3 reports' }).getAttribute('href')).toBe('/admin/reports?kind=report');
  expect(sent.filter(({ what }) => what.includes('/admin/'))).not.toEqual([]);
  cleanup();
  const others = show(home(), answers());
  await see('Nothing needs your attention.');
  expect(others.filter(({ what }) => what.includes('/admin/'))).toEqual([]);
});

test('a part that fails says so, hides no other, and can be read again', async () => {
  let fails = true;
  show(
    home(),
    answers({
      'GET /api/v1/webhooks': () => (fails ? [403, FORBIDDEN] : page([])),
      'GET /api/v1/account/keys': () => page([{ id: '1', name: 'laptop', expires_at: at(1) }]),
      'GET /api/v1/analytics': () => [403, FORBIDDEN],
    }),
  );
  await see('Your webhooks could not be loaded.');
  await see('laptop');
  await see('This could not be loaded.');
  expect(hidden('Nothing needs your attention.')).toBe(true);
  fails = false;
  fireEvent.click(screen.getAllByText('Try again').find((each) => each.closest('aside') !== null)!);
  await waitFor(() => expect(hidden('Your webhooks could not be loaded.')).toBe(true));
  expect(lines()).toHaveLength(1);
});

test.each([
  ['an account without links gets the list', '/', [200, NO_LINKS], '/links'],
  ['a failed count of the links hides nothing', '/?days=30', [403, FORBIDDEN], '/?days=30'],
] as const)('%s', async (_name, from, facets, to) => {
  history.replaceState(null, '', from);
  show(home(), answers({ 'GET /api/v1/facets': () => facets }));
  await waitFor(() => expect(location.pathname + location.search).toBe(to));
  if (to === from) await see('Nothing needs your attention.');
});

test('a visit goes on for half an hour after the overview was last opened, for each account', () => {
  const MINUTE_MS = 60_000;
  const visits = [0, 29, 58, 89, 90, 200].map((minutes) => lastVisit('ada@example.com', NOW + minutes * MINUTE_MS));
  const [first, second] = [NOW + 58 * MINUTE_MS, NOW + 90 * MINUTE_MS];
  expect(visits).toEqual([undefined, undefined, undefined, first, first, second]);
  expect(lastVisit('bob@example.com', NOW)).toBeUndefined();
  localStorage.setItem('visits ada@example.com', 'no times');
  expect(lastVisit('ada@example.com', NOW)).toBeUndefined();
});
