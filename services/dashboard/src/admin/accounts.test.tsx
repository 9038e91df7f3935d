import { expect, test } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { navigate } from 'wouter/use-browser-location';
import { see, show } from '../../test/screen.tsx';
import { Accounts } from './accounts.tsx';

test('a page past the last one leads to the last one, and never says that nothing matches', async () => {
  navigate('/admin?status=active&page=9');
  const account = {
    id: '1',
    email: 'last@example.com',
    admin: false,
    creations_per_hour: null,
    suspended_at: null,
    suspension_reason: null,
    created_at: '2026-01-01T00:00:00.000Z',
  };
  let answer: () => void = () => undefined;
  const requests = show(<Accounts ownEmail="ada@example.com" />, {
    'GET /api/v1/admin/accounts': async ({ query }) => {
      const page = Number(new URLSearchParams(query).get('page'));
      const rest = { total: 26, page, limit: 25, total_pages: 2 };
      if (page === 9) return [200, { data: [], ...rest }];
      await new Promise<void>((resolve) => (answer = resolve));
      return [200, { data: [account], ...rest }];
    },
  });
  await waitFor(() => expect(location.search).toBe('?status=active&page=2'));
  expect(screen.queryByText('Nothing matches.')).toBe(null);
  await waitFor(() => expect(requests).toHaveLength(2));
  answer();
  await see('26–26 of 26');
  await see('last@example.com');
});
