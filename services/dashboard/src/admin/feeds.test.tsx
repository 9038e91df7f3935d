import { expect, test } from '@jest/globals';
import { screen } from '@testing-library/react';
import { type Answers, press, see, show } from '../../test/screen.tsx';
import { Feeds } from './feeds.tsx';

const GET = 'GET /api/v1/admin/feeds';

test('the table shows what is wrong with each feed', async () => {
  const feed = { entries: 1, updated_at: '2026-01-01T00:00:00.000Z', stale: false, last_error: null };
  const data = [
    { ...feed, name: 'good' },
    { ...feed, name: 'late', stale: true },
    { ...feed, name: '<script>', last_error: 'it answered 500' },
    { ...feed, name: 'never', stale: true, updated_at: null, last_error: 'no answer' },
  ];
  show(<Feeds />, { [GET]: () => [200, { data }] });
  await see('good');
  const rows = screen
    .getAllByRole('row')
    .slice(1)
    .map(({ textContent }) => textContent);
  expect(rows).toEqual([
    expect.stringMatching(/^good1 entry.*Well$/),
    expect.stringMatching(/^late1 entry.*Out of date$/),
    expect.stringMatching(/^<script>1 entryit answered 500.*Update failed$/),
    expect.stringMatching(/^never1 entryno answerNeverOut of date$/),
  ]);
});

test('the user can retry after the list failed to load', async () => {
  const answers: Answers = {};
  show(<Feeds />, answers);
  await see('This did not load.');
  answers[GET] = () => [200, { data: [] }];
  press('Try again');
  await see('There are no feeds.');
});
