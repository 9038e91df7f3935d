import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { type AccountDetails, waypost } from '../api.ts';
import {
  Badge,
  Button,
  Empty,
  Foreign,
  Head,
  Loaded,
  Pages,
  SearchField,
  Segments,
  Skeleton,
  Table,
  WhenCell,
} from '../components/index.ts';
import { useLastPage } from '../hooks/last-page.ts';
import { oneOf, orNone, useUrlState } from '../hooks/url-state.ts';
import { asMoment, number } from '../language.ts';
import screens from '../screens.json' with { type: 'json' };
import { fill, words } from '../words.ts';
import { AccountDialog, type Dialog } from './account-dialog.tsx';

const STATUSES = ['', 'active', 'suspended'] as const;
const PAGE_SIZE = 25;
const t = words.admin.accounts;

export function Accounts({ ownEmail }: { ownEmail: string }) {
  const [param, setParams] = useUrlState();
  const [dialog, setDialog] = useState<Dialog>();
  const status = oneOf(STATUSES, param('status'));
  const page = /^[1-9]\d{0,8}$/.test(param('page')) ? Number(param('page')) : 1;
  const search = param('search');
  const accounts = useQuery({
    queryKey: ['accounts', { search, status, page }],
    queryFn: ({ signal }) =>
      waypost.admin.accounts({ page, limit: PAGE_SIZE, search: orNone(search), status: orNone(status) }, { signal }),
    placeholderData: keepPreviousData,
  });
  const { data: rows = [], total = 0, total_pages: pages = 1 } = accounts.data ?? {};
  const isPast = useLastPage(accounts, (last) => setParams({ page: String(last) }, true));
  return (
    <>
      <Head title={t.title}>
        <Button variant="primary" onClick={() => setDialog({ what: 'create' })}>
          {t.create}
        </Button>
      </Head>
      <search className="filters">
        <SearchField label={t.search} value={search} onChange={(next) => setParams({ search: next })} />
        <Segments
          label={words.links.status}
          options={STATUSES.map((each) => [each, each === '' ? words.links.all : t.statuses[each]])}
          value={status}
          onChange={(next) => setParams({ status: next })}
        />
      </search>
      <div className="card" aria-busy={accounts.isFetching}>
        <Loaded query={accounts} rows={5}>
          {() =>
            isPast ? (
              <Skeleton rows={5} />
            ) : rows.length === 0 ? (
              <Empty title={words.links.nothing}>
                <Button onClick={() => setParams({ search: '', status: '' })}>{words.links.clear}</Button>
              </Empty>
            ) : (
              <Table
                caption={t.title}
                heads={[
                  [words.email],
                  [t.limit, 'w-limit'],
                  [words.links.status, 'w-state'],
                  [words.links.created, 'c-when'],
                ]}
                actions="c-act w-acts"
              >
                {rows.map((account) => (
                  <Row key={account.id} account={account} isOwn={account.email === ownEmail} onOpen={setDialog} />
                ))}
              </Table>
            )
          }
        </Loaded>
      </div>
      {total > 0 && (
        <Pages
          page={page}
          pages={pages}
          total={total}
          size={PAGE_SIZE}
          onPage={(next) => setParams({ page: String(next) })}
        />
      )}
      {dialog !== undefined && <AccountDialog dialog={dialog} onOpen={setDialog} />}
    </>
  );
}

interface RowProps {
  readonly account: AccountDetails;
  readonly isOwn: boolean;
  readonly onOpen: (dialog: Dialog) => void;
}

function Row({ account, isOwn, onOpen }: RowProps) {
  const { email, creations_per_hour: limit, suspended_at: at, suspension_reason: reason } = account;
  return (
    <tr>
      <td>
        <Link className="through" href={`${screens.audit}?${new URLSearchParams({ subject: email })}`}>
          <Foreign>{email}</Foreign>
        </Link>
        {account.admin && <span className="hint below">{t.isAdmin}</span>}
      </td>
      <td className="w-limit">{limit === null ? t.usual : fill(t.perHour, { limit: number(limit) })}</td>
      <td className="w-state">
        <Badge status={at === null ? 'active' : 'revoked'}>{t.statuses[at === null ? 'active' : 'suspended']}</Badge>
        {at !== null && <span className="hint below">{asMoment(at)}</span>}
        {reason !== null && <Foreign variant="hint below">{reason}</Foreign>}
      </td>
      <WhenCell at={account.created_at} />
      <td className="c-act w-acts">
        <Link
          className="btn quiet"
          aria-label={fill(t.keysFor, { email })}
          href={`${screens.accountKeys}?${new URLSearchParams({ account: email })}`}
        >
          {t.keysOpen}
        </Link>
        <Link
          className="btn quiet"
          aria-label={fill(t.securityFor, { email })}
          href={`${screens.accountSecurity}?${new URLSearchParams({ account: email })}`}
        >
          {t.securityOpen}
        </Link>
        <Button variant="quiet" label={fill(t.limitFor, { email })} onClick={() => onOpen({ what: 'limit', account })}>
          {t.limitOpen}
        </Button>
        {at !== null ? (
          <Button variant="quiet" label={fill(t.liftFor, { email })} onClick={() => onOpen({ what: 'lift', account })}>
            {t.liftOpen}
          </Button>
        ) : (
          !isOwn && (
            <Button
              variant="quiet danger"
              label={fill(t.suspendFor, { email })}
              onClick={() => onOpen({ what: 'suspend', account })}
            >
              {t.suspendOpen}
            </Button>
          )
        )}
      </td>
    </tr>
  );
}
