import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { type AccountDetails, type CreatedAccount, once, waypost } from '../api.ts';
import { oneOf, useAsked } from '../asked.ts';
import { ConfirmDialog, FormDialog, ShownOnce } from '../dialogs.tsx';
import { asMoment, asTime, number } from '../language.ts';
import { Loaded } from '../loaded.tsx';
import { Pages } from '../pages.tsx';
import {
  ActionsHead,
  Badge,
  Button,
  Check,
  Empty,
  Field,
  Foreign,
  Head,
  Segments,
  textIn,
  useSay,
  When,
} from '../parts.tsx';
import screens from '../screens.json';
import { SearchField } from '../search-field.tsx';
import { fill, words } from '../words.ts';
import { ReasonDialog } from './admin-parts.tsx';

const STATUSES = ['', 'active', 'suspended'] as const;
const PAGE_SIZE = 25;
const said = words.admin.accounts;

type Open =
  | { readonly what: 'create' }
  | { readonly what: 'made'; readonly url: string; readonly until: string }
  | { readonly what: 'limit' | 'suspend' | 'lift'; readonly account: AccountDetails };

export function Accounts({ own }: { own: string }) {
  const queries = useQueryClient();
  const say = useSay();
  const [asked, ask] = useAsked();
  const [open, setOpen] = useState<Open>();
  const status = oneOf(STATUSES, asked('status'));
  const page = /^[1-9]\d{0,8}$/.test(asked('page')) ? Number(asked('page')) : 1;
  const search = asked('search');
  const accounts = useQuery({
    queryKey: ['accounts', { search, status, page }],
    queryFn: ({ signal }) =>
      waypost.admin.accounts(
        { page, limit: PAGE_SIZE, search: search || undefined, status: status || undefined },
        { signal },
      ),
    placeholderData: keepPreviousData,
  });
  const close = () => setOpen(undefined);
  const done = (text: string) => {
    say(text);
    void queries.invalidateQueries({ queryKey: ['accounts'] });
  };
  const { data: rows = [], total = 0, total_pages: pages = 1 } = accounts.data ?? {};
  return (
    <>
      <Head title={said.title}>
        <Button look="primary" onClick={() => setOpen({ what: 'create' })}>
          {said.create}
        </Button>
      </Head>
      <search className="filters">
        <SearchField label={said.search} value={search} onChange={(next) => ask({ search: next })} />
        <Segments
          label={words.links.status}
          options={STATUSES.map((each) => [each, each === '' ? words.links.all : said.statuses[each]])}
          value={status}
          onChange={(next) => ask({ status: next })}
        />
      </search>
      <div className="card" aria-busy={accounts.isFetching}>
        <Loaded query={accounts} rows={5}>
          {() =>
            rows.length === 0 ? (
              <Empty title={words.links.nothing}>
                <Button onClick={() => ask({ search: '', status: '' })}>{words.links.clear}</Button>
              </Empty>
            ) : (
              <Table rows={rows} own={own} onOpen={setOpen} />
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
          onPage={(next) => ask({ page: String(next) })}
        />
      )}
      {open?.what === 'create' && (
        <CreateAccount
          onClose={close}
          onMade={({ sign_in_url: url, expires_at: until }) => {
            done(said.created);
            if (url !== null && until !== null) setOpen({ what: 'made', url, until });
          }}
        />
      )}
      {open?.what === 'made' && (
        <ShownOnce
          title={said.linkTitle}
          why={fill(said.linkWhy, { until: asTime(open.until) })}
          secret={open.url}
          copied={said.linkCopied}
          stored={said.linkStored}
          onClose={close}
        />
      )}
      {open?.what === 'limit' && (
        <FormDialog
          title={fill(said.limitTitle, { email: open.account.email })}
          act={said.limitAct}
          fields={['creations_per_hour']}
          send={(form) => {
            const typed = textIn(form, 'creations_per_hour');
            return once.admin.setLimit(open.account.email, typed === '' ? null : Number(typed));
          }}
          onSent={() => done(said.limited)}
          onClose={close}
        >
          {(error) => (
            <Field
              name="creations_per_hour"
              label={said.limit}
              type="number"
              value={String(open.account.creations_per_hour ?? '')}
              hint={said.limitHint}
              error={error}
              required={false}
              autoFocus
            />
          )}
        </FormDialog>
      )}
      {open?.what === 'suspend' && (
        <ReasonDialog
          title={fill(said.suspendTitle, { email: open.account.email })}
          act={said.suspendAct}
          hint={said.suspendHint}
          isFinal
          send={(form) => once.admin.suspend(open.account.email, textIn(form, 'reason'))}
          onSent={() => done(said.suspended)}
          onClose={close}
        />
      )}
      {open?.what === 'lift' && (
        <ConfirmDialog
          title={fill(said.liftTitle, { email: open.account.email })}
          why={said.liftWhy}
          keep={words.cancel}
          act={said.liftAct}
          isFinal={false}
          run={() => once.admin.resume(open.account.email)}
          onDone={() => done(said.lifted)}
          onClose={close}
        />
      )}
    </>
  );
}

interface TableProps {
  readonly rows: readonly AccountDetails[];
  readonly own: string;
  readonly onOpen: (open: Open) => void;
}

function Table({ rows, own, onOpen }: TableProps) {
  return (
    <table className="tbl flat">
      <caption className="sr">{said.title}</caption>
      <thead>
        <tr>
          <th>{words.email}</th>
          <th className="w-limit">{said.limit}</th>
          <th className="w-state">{words.links.status}</th>
          <th className="c-when">{words.links.created}</th>
          <ActionsHead className="c-act w-acts" />
        </tr>
      </thead>
      <tbody>
        {rows.map((account) => (
          <Row key={account.id} account={account} isOwn={account.email === own} onOpen={onOpen} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ account, isOwn, onOpen }: { account: AccountDetails; isOwn: boolean; onOpen: TableProps['onOpen'] }) {
  const { email, creations_per_hour: limit, suspended_at: at, suspension_reason: reason } = account;
  return (
    <tr>
      <td>
        <Link className="through" href={`${screens.audit}?${new URLSearchParams({ subject: email })}`}>
          <Foreign>{email}</Foreign>
        </Link>
        {account.admin && <span className="hint below">{said.isAdmin}</span>}
      </td>
      <td className="w-limit">{limit === null ? said.usual : fill(said.perHour, { limit: number(limit) })}</td>
      <td className="w-state">
        <Badge look={at === null ? 'active' : 'revoked'}>{said.statuses[at === null ? 'active' : 'suspended']}</Badge>
        {at !== null && <span className="hint below">{asMoment(at)}</span>}
        {reason !== null && (
          <span className="hint below">
            <Foreign>{reason}</Foreign>
          </span>
        )}
      </td>
      <td className="c-when when">
        <When at={account.created_at} />
      </td>
      <td className="c-act w-acts">
        <Link
          className="btn quiet"
          aria-label={fill(said.keysFor, { email })}
          href={`${screens.accountKeys}?${new URLSearchParams({ account: email })}`}
        >
          {said.keysOpen}
        </Link>
        <Button look="quiet" label={fill(said.limitFor, { email })} onClick={() => onOpen({ what: 'limit', account })}>
          {said.limitOpen}
        </Button>
        {at !== null ? (
          <Button look="quiet" label={fill(said.liftFor, { email })} onClick={() => onOpen({ what: 'lift', account })}>
            {said.liftOpen}
          </Button>
        ) : (
          !isOwn && (
            <Button
              look="quiet danger"
              label={fill(said.suspendFor, { email })}
              onClick={() => onOpen({ what: 'suspend', account })}
            >
              {said.suspendOpen}
            </Button>
          )
        )}
      </td>
    </tr>
  );
}

function CreateAccount({ onClose, onMade }: { onClose: () => void; onMade: (made: CreatedAccount) => void }) {
  return (
    <FormDialog
      title={said.create}
      act={said.create}
      fields={['email']}
      send={(form) =>
        once.admin.createAccount({
          email: textIn(form, 'email'),
          admin: textIn(form, 'admin') !== '',
          sign_in_link: textIn(form, 'sign_in_link') !== '',
        })
      }
      onSent={onMade}
      onClose={onClose}
    >
      {(error) => (
        <>
          <Field name="email" label={words.email} type="email" error={error} autoFocus />
          <Check label={said.withLink} name="sign_in_link" defaultChecked />
          <Check label={said.withAdmin} name="admin" />
        </>
      )}
    </FormDialog>
  );
}
