import { expect, test } from '@jest/globals';
import { fireEvent, screen } from '@testing-library/react';
import { fileOf, link, press, see, show } from '../../test/screen.tsx';
import { Clicks } from './clicks.tsx';

const analytics = (withBots: boolean) => ({
  total_clicks: withBots ? 3 : 2,
  bot_clicks: withBots ? 1 : 0,
  unique_visitors: 1,
  time_series: [
    { date: '2026-01-01', clicks: 0 },
    { date: '2026-01-02', clicks: 0 },
    { date: '2026-01-03', clicks: withBots ? 3 : 2 },
  ],
  top_referrers: [{ referrer: 'direct', count: 2 }],
  top_countries: [{ country: 'NZ', count: 2 }],
  top_devices: [],
  top_browsers: [],
});

test('people and bots are counted separately in the figures, in the file, and in what a screen reader announces', async () => {
  show(<Clicks link={link('abc') as never} />, {
    'GET /api/v1/links/abc/analytics': ({ query }) => [200, analytics(!query.includes('bots=exclude'))],
  });
  await see('NZ New Zealand');
  const figures = () => [...document.querySelectorAll('.fig')].map(({ textContent }) => textContent);
  expect(figures()).toEqual(['3Clicks', '2People', '1Bots', '1Unique visitors']);
  const csv = await fileOf(() => press('Download CSV'));
  expect(csv).toBe('date,people,bots\r\n2026-01-01,0,0\r\n2026-01-02,0,0\r\n2026-01-03,2,1\r\n');
  fireEvent.keyDown(screen.getByRole('img'), { key: 'ArrowLeft' });
  await see(/2026: 2 clicks by people, 1 by bots\.$/);
  fireEvent.keyDown(screen.getByRole('img'), { key: 'Home' });
  await see(/2026: 0 clicks by people, 0 by bots\.$/);
  fireEvent.click(screen.getByLabelText('Include bots'));
  expect(figures()).toEqual(['2Clicks', '1Unique visitors']);
});
