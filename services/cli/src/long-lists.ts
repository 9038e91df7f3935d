/** The API sends at most 100 rows at once. An operator gets more in one answer. */
import type { AccountPage, AccountsQuery, AuditPage, AuditQuery } from '@waypost/sdk';

const AT_ONCE = 100;

/** A page of `limit` accounts, a multiple of 100. */
export async function accountsUpTo(
  limit: number,
  read: (query: AccountsQuery) => Promise<AccountPage>,
  { page = 1, ...query }: AccountsQuery,
): Promise<AccountPage> {
  const parts = limit / AT_ONCE;
  const data: AccountPage['data'][number][] = [];
  for (let part = (page - 1) * parts + 1; ; part++) {
    const { data: some, total, total_pages: pages } = await read({ ...query, page: part, limit: AT_ONCE });
    data.push(...some);
    if (part >= pages || part === page * parts)
      return { data, total, page, limit, total_pages: Math.ceil(total / limit) };
  }
}

/** The newest `limit` entries. */
export async function entriesUpTo(
  limit: number,
  read: (query: AuditQuery) => Promise<AuditPage>,
  query: AuditQuery,
): Promise<AuditPage> {
  const data: AuditPage['data'][number][] = [];
  for (let { before } = query; ; ) {
    const part = await read({ ...query, before, limit: Math.min(AT_ONCE, limit - data.length) });
    data.push(...part.data);
    if (part.next === null || data.length >= limit) return { data, next: part.next };
    before = part.next;
  }
}
