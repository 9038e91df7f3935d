import { endpoint } from '../platform/endpoint.ts';
import { oneOf, optional, text } from '../platform/fields.ts';
import { READS } from '../platform/limits.ts';
import { pageOf, paging, presentPage } from '../platform/paging.ts';
import { ACCOUNT, accountDetails, presentAccount } from './accounts.schema.ts';
import type { AccountsPorts } from './ports.ts';

export const listAccountsEndpoint = endpoint({
  id: 'listAccounts',
  method: 'GET',
  path: '/admin/accounts',
  scope: 'admin',
  concurrency: READS,
  summary: 'List accounts',
  description: 'Returns a page of all accounts, newest first.',
  query: {
    ...paging,
    search: optional(text.max(254))
      .description('Only accounts whose e-mail address contains this text.')
      .example('ada'),
    status: optional(oneOf(['active', 'suspended'])).description('Only accounts with this status.'),
  },
  answers: pageOf('AccountPage', accountDetails, ACCOUNT, 10),
  cli: 'waypost admin list-accounts --status suspended',
  handle: async ({ query }, deps: AccountsPorts) => {
    const { status, search, page, limit } = query;
    const { accounts, total } = await deps.accounts.list({
      page,
      limit,
      ...(search !== undefined && { search }),
      ...(status !== undefined && { suspended: status === 'suspended' }),
    });
    return presentPage(query, accounts.map(presentAccount), total);
  },
});
