import { expect, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { type Answers, press, see, show } from '../../test/screen.tsx';
import { Feeds } from './feeds.tsx';

const GET = 'GET /api/v1/admin/feeds';

test('the table shows what is wrong with each feed', async () => {
  const own = { own_addresses: [], own_links: [], removal_url: null };
  const feed = { entries: 1, updated_at: '2026-01-01T00:00:00.000Z', stale: false, last_error: null, ...own };
  const data = [
    { ...feed, name: 'good' },
    { ...feed, name: 'late', stale: true },
    { ...feed, name: '<script>', last_error: 'it answered 500' },
    { ...feed, name: 'never', stale: true, updated_at: null, last_error: 'no answer' },
  ];
  show(<Feeds />, { [GET]: () => [200, { data, takedown_times: null }] });
  await see('good');
  const rows = screen
    .getAllByRole('row')
    .slice(1)
    .map(({ textContent }) => textContent);
  expect(rows).toEqual([
    expect.stringMatching(/^good1 entry.*OK$/),
    expect.stringMatching(/^late1 entry.*Out of date$/),
    expect.stringMatching(/^<script>1 entryit answered 500.*Update failed$/),
    expect.stringMatching(/^never1 entryno answerNeverOut of date$/),
  ]);
});

test('a list that names this service is shown first, with its links, its removal page and the figures', async () => {
  const since = '2026-01-01T00:00:00.000Z';
  const feed = { entries: 1, updated_at: since, stale: false, last_error: null, own_links: [] };
  const data = [
    {
      ...feed,
      name: 'loud',
      own_addresses: [{ address: 'go.example.org/', since }],
      own_links: [{ slug: 'k7Qm2Rx', since, status: 'flagged', flagged_at: since }],
      removal_url: 'https://lists.example.net/remove',
    },
    { ...feed, name: 'quiet', own_addresses: [], removal_url: null },
  ];
  const takedown_times = {
    listings: { count: 1, median_seconds: 4, longest_seconds: 4 },
    reports: { count: 2, median_seconds: 3_600, longest_seconds: 90_000 },
  };
  show(<Feeds />, { [GET]: () => [200, { data, takedown_times }] });
  await see('Threat feeds list this service.');
  const [own] = screen.getAllByRole('table');
  const rows = within(own!)
    .getAllByRole('row')
    .slice(1)
    .map(({ textContent }) => textContent);
  expect(rows).toEqual([
    expect.stringMatching(/^loudRequest removalgo\.example\.org\//),
    expect.stringMatching(/^loudRequest removalk7Qm2Rx Flagged/),
  ]);
  expect(screen.getAllByText('Request removal')[0]!.getAttribute('href')).toBe('https://lists.example.net/remove');
  expect(screen.getByText('k7Qm2Rx').getAttribute('href')).toContain('k7Qm2Rx');
  await see('1 listed link was flagged within 4 seconds (median) and 4 seconds (maximum).');
  await see('2 upheld reports were decided within 60 minutes (median) and 25 hours (maximum).');
});

test('the user can retry after the list failed to load', async () => {
  const answers: Answers = {};
  show(<Feeds />, answers);
  await see('This could not be loaded.');
  answers[GET] = () => [200, { data: [], takedown_times: null }];
  press('Try again');
  await see('There are no feeds.');
});
