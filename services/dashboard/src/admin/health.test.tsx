import { expect, test } from '@jest/globals';
import { screen } from '@testing-library/react';
import { see, show } from '../../test/screen.tsx';
import { Health } from './health.tsx';

const READY = 'GET /readyz';
const DETAILS = 'GET /api/v1/admin/health';
const dependencies = { database: { ok: true }, backup: { ok: true }, disk: { ok: false } };
const rows = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map(({ textContent }) => textContent);

test('the table says how old the newest backup is, and what is wrong with the rest', async () => {
  const well = { ok: true, detail: null, last_done_at: null };
  const threeHoursAgo = new Date(Date.now() - 3 * 3_600_000).toISOString();
  const data = [
    { ...well, name: 'database' },
    { ...well, name: 'backup', last_done_at: threeHoursAgo },
    { ...well, name: 'disk', ok: false, detail: '1 GB is left' },
  ];
  show(<Health />, { [READY]: () => [200, { status: 'ready', dependencies }], [DETAILS]: () => [200, { data }] });
  await see('1 GB is left');
  expect(rows()).toEqual(['databaseOK', 'backup3 hours agoOK', 'disk1 GB is leftNot OK']);
});

test('without the database the table still says what is away', async () => {
  const unavailable = { error: 'service_unavailable', message: 'away', status: 503 };
  show(<Health />, {
    [READY]: () => [503, { status: 'not_ready', dependencies: { database: { ok: false } } }],
    [DETAILS]: () => [503, unavailable],
  });
  await see('Waypost is not ready.');
  expect(rows()).toEqual(['databaseNot OK']);
});
