import { beforeEach, expect, test } from '@jest/globals';
import { act } from '@testing-library/react';
import { type Answer, type Answers, account, link, press, see, show } from '../../test/screen.tsx';
import { Links } from './links.tsx';

const LIST = 'GET /api/v1/links';
const CLICKS = 'GET /api/v1/links/clicks';

const page = (...slugs: string[]) =>
  [200, { data: slugs.map((slug) => link(slug)), total: slugs.length, total_pages: 1 }] as const;
const clicksOf = (counts: Readonly<Record<string, number>>) => {
  const links = Object.entries(counts).map(([slug, clicks]) => {
    const days = [0, clicks].map((each, i) => ({ date: `2026-01-0${i + 1}`, clicks: each }));
    return { slug, total_clicks: clicks, time_series: days };
  });
  return [200, { period: '30d', links }] as const;
};
const cells = () => [...document.querySelectorAll('tbody .c-clicks')].map((cell) => cell.querySelector('.wide, .sr'));
const texts = () => cells().map((cell) => cell?.textContent);

beforeEach(() => history.replaceState(null, '', '/'));

test('rows are shown before their clicks, and links that stay on the page keep theirs while others load', async () => {
  const waiting = [Promise.withResolvers<Answer>(), Promise.withResolvers<Answer>()] as const;
  const answers: Answers = { [LIST]: () => page('abc', 'def'), [CLICKS]: () => waiting[0].promise };
  const sent = show(<Links account={account} />, answers);
  await see('def');
  expect(texts()).toEqual(['Loading', 'Loading']);
  await act(async () => waiting[0].resolve(clicksOf({ abc: 1_234, def: 0 })));
  await see('1,234');
  expect(texts()).toEqual(['1,234', '0']);
  expect(sent.filter(({ what }) => what === CLICKS).map(({ query }) => query)).toEqual([
    '?period=30d&slugs=abc&slugs=def',
  ]);

  answers[LIST] = () => page('new', 'abc');
  answers[CLICKS] = () => waiting[1].promise;
  press('Revoked');
  await see('new');
  expect(texts()).toEqual(['Loading', '1,234']);
  await act(async () => waiting[1].resolve(clicksOf({ new: 5, abc: 1_235 })));
  await see('1,235');
  expect(texts()).toEqual(['5', '1,235']);
});

test('when the clicks do not load, each row says so, and the list stays', async () => {
  show(<Links account={account} />, {
    [LIST]: () => page('abc', 'def'),
    [CLICKS]: () => [403, { error: 'forbidden', message: 'No.', details: {} }],
  });
  await see('The clicks could not be loaded.');
  expect(texts()).toEqual(['The clicks could not be loaded.', 'The clicks could not be loaded.']);
  expect(document.querySelector('[role=alert]')).toBeNull();
  await see('abc');
});

test('a list of the most clicked links says what it leaves out, and if nothing was clicked, leads to all links', async () => {
  const sent = show(<Links account={account} />, {
    [LIST]: ({ query }) => (query.includes('sort=clicks') ? page() : page('abc')),
    [CLICKS]: () => clicksOf({ abc: 0 }),
  });
  await see('abc');
  press('Clicks, 30 days');
  await see('No clicks in the last 30 days.');
  expect(sent.some(({ query }) => query.includes('sort=clicks&order=desc'))).toBe(true);
  await see(/^The most clicked links of the last 30 days, at most 1,000\./);
  press('Newest first');
  await see('abc');
  expect(location.search).toBe('');
});
