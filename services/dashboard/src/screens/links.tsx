import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { type Account, api, type Created, type Link as LinkBody, PAGE_SIZE } from '../api.ts';
import {
  asTime,
  CopyIcon,
  copy,
  Destination,
  ErrorNote,
  Field,
  Icon,
  LoadError,
  Skeleton,
  Status,
  shortUrl,
  Title,
  textIn,
  useSay,
  When,
} from '../parts.tsx';
import { threat, words } from '../words.ts';
import { RevokeDialog } from './revoke-dialog.tsx';

const STATUSES = ['', 'active', 'flagged', 'revoked'] as const;

/** What is looked for stands in the address bar. */
function useListing() {
  const [params, setParams] = useSearchParams();
  const page = Number(params.get('page') ?? '1');
  const asked = {
    page: Number.isInteger(page) && page > 0 ? page : 1,
    search: params.get('search') ?? '',
    status: STATUSES.find((status) => status === params.get('status')) ?? '',
  };
  const ask = (change: Partial<typeof asked>) => {
    const next = { ...asked, page: 1, ...change };
    const shown = Object.entries(next).filter(([name, value]) => value !== '' && !(name === 'page' && value === 1));
    setParams(new URLSearchParams(shown.map(([name, value]) => [name, String(value)])), { replace: true });
  };
  return [asked, ask] as const;
}

export function Links({ account }: { account: Account }) {
  const queries = useQueryClient();
  const [asked, ask] = useListing();
  const links = useQuery({
    queryKey: ['links', asked],
    queryFn: () => api.links(asked),
    placeholderData: keepPreviousData,
  });
  const [revoking, setRevoking] = useState<LinkBody>();
  const base = account.redirect_base_url;
  const pages = Math.max(1, links.data?.total_pages ?? 1);
  const isFiltered = asked.search !== '' || asked.status !== '';
  return (
    <>
      <Create account={account} />
      <div className="head">
        <Title>{words.links.title}</Title>
      </div>
      <search className="filters">
        <Search value={asked.search} onChange={(search) => ask({ search })} />
        <fieldset className="seg" aria-label={words.links.status}>
          {STATUSES.map((status) => (
            <button type="button" key={status} aria-pressed={status === asked.status} onClick={() => ask({ status })}>
              {status === '' ? words.links.all : words.links.statuses[status]}
            </button>
          ))}
        </fieldset>
      </search>
      <div className="card" aria-busy={links.isFetching}>
        {links.error && links.data === undefined ? (
          <LoadError error={links.error} retry={() => links.refetch()} />
        ) : links.data === undefined ? (
          <Skeleton rows={5} />
        ) : links.data.data.length === 0 ? (
          <div className="empty">
            <h2>{isFiltered ? words.links.nothing : words.links.none}</h2>
            <p>{isFiltered ? words.links.nothingHow : words.links.noneHow}</p>
          </div>
        ) : (
          <table className="tbl">
            <caption className="sr">{words.links.table(asked.page, pages)}</caption>
            <thead>
              <tr>
                <th>{words.links.link}</th>
                <th className="c-tags">{words.links.tags}</th>
                <th className="c-status">{words.links.status}</th>
                <th className="c-when">{words.links.created}</th>
                <th className="c-act">
                  <span className="sr">{words.links.actions}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {links.data.data.map((link) => (
                <Row key={link.slug} link={link} base={base} onRevoke={() => setRevoking(link)} />
              ))}
            </tbody>
          </table>
        )}
      </div>
      {links.data !== undefined && links.data.total > 0 && (
        <Pages
          page={asked.page}
          pages={pages}
          total={links.data.total}
          shown={links.data.data.length}
          onPage={(page) => ask({ page })}
        />
      )}
      {revoking !== undefined && (
        <RevokeDialog
          slug={revoking.slug}
          short={shortUrl(base, revoking.slug)}
          onClose={() => setRevoking(undefined)}
          onRevoked={() => {
            setRevoking(undefined);
            void queries.invalidateQueries({ queryKey: ['links'] });
          }}
        />
      )}
    </>
  );
}

function Row({ link, base, onRevoke }: { link: LinkBody; base: string; onRevoke: () => void }) {
  const short = shortUrl(base, link.slug);
  return (
    <tr className={`is-${link.status}`}>
      <td>
        <span className="link">
          <Link href={`/links/${link.slug}`}>
            <span className="host">{short.slice(0, -link.slug.length)}</span>
            {link.slug}
          </Link>
          <CopyIcon text={`${base}/${link.slug}`} what={short} />
        </span>
        <Destination url={link.destination_url} />
      </td>
      <td className="c-tags">
        <span className="tags">
          {link.tags.map((tag) => (
            <span className="tag" key={tag}>
              <bdi className="cut">{tag}</bdi>
            </span>
          ))}
        </span>
      </td>
      <td className="c-status">
        <Status status={link.status} />
      </td>
      <td className="c-when when">
        <When at={link.created_at} />
      </td>
      <td className="c-act">
        {link.status === 'active' && (
          <button
            type="button"
            className="btn quiet danger"
            aria-label={words.revoke.openFor(link.slug)}
            onClick={onRevoke}
          >
            {words.revoke.open}
          </button>
        )}
      </td>
    </tr>
  );
}

/** Asks a moment after the last key; `/` comes here. */
function Search({ value, onChange }: { value: string; onChange: (search: string) => void }) {
  const id = useId();
  const own = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(value);
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => onChange(typed.trim()), 250);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  useKey('/', own);
  return (
    <div className="search">
      <Icon name="search" />
      <label className="sr" htmlFor={id}>
        {words.links.search}
      </label>
      <input
        ref={own}
        className="in"
        id={id}
        type="search"
        placeholder={words.links.search}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: a kbd takes no focus */}
      <kbd aria-hidden="true">/</kbd>
    </div>
  );
}

/** Focuses it, but not while somebody types elsewhere. */
function useKey(key: string, field: React.RefObject<HTMLInputElement | null>) {
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      const from = event.target as HTMLElement;
      if (event.key.toLowerCase() !== key || event.metaKey || event.ctrlKey || event.altKey) return;
      if (from.matches('input, textarea, select') || document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', hear);
    return () => removeEventListener('keydown', hear);
  }, [key, field]);
}

function Create({ account }: { account: Account }) {
  const queries = useQueryClient();
  const say = useSay();
  const id = useId();
  const own = useRef<HTMLInputElement>(null);
  const [url, setUrl] = useState('');
  const [custom, setCustom] = useState(false);
  const [copied, setCopied] = useState(false);
  // The same until something was made: a retry makes no second link.
  const attempt = useRef({ body: '', key: '' });
  useKey('n', own);
  const create = useMutation({
    mutationFn: (form: HTMLFormElement) => {
      const slug = textIn(form, 'custom_slug').trim();
      const body = { destination_url: url.trim(), ...(slug === '' ? {} : { custom_slug: slug }) };
      const text = JSON.stringify(body);
      if (attempt.current.body !== text) {
        const random = crypto.getRandomValues(new Uint8Array(16));
        attempt.current = {
          body: text,
          key: Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join(''),
        };
      }
      return api.createLink(body, attempt.current.key);
    },
    onSuccess: async (made) => {
      attempt.current = { body: '', key: '' };
      setUrl('');
      setCustom(false);
      own.current?.focus();
      const isCopied = made.link.status === 'active' && (await copy(made.short_url));
      setCopied(isCopied);
      say(`${made.short_url} ${isCopied ? words.links.readyCopied : words.links.ready}`);
      await Promise.all([
        queries.invalidateQueries({ queryKey: ['links'] }),
        queries.invalidateQueries({ queryKey: ['account'] }),
      ]);
    },
  });
  const { limit, used, resets_at: resetsAt } = account.quota;
  const lacksScheme = /^[\w-]+(\.[\w-]+)+([/?#]\S*)?$/.test(url.trim());
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!create.isPending) create.mutate(event.currentTarget);
      }}
      aria-label={words.links.create}
    >
      <div className="create">
        <span className="lead">
          <Icon name="link" />
        </span>
        <label className="sr" htmlFor={id}>
          {words.links.url}
        </label>
        <input
          ref={own}
          id={id}
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          required
          placeholder={words.links.placeholder}
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
        {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: a kbd takes no focus */}
        <kbd aria-hidden="true">N</kbd>
        <span className="end">
          <button className="finger" type="submit" aria-disabled={create.isPending}>
            {words.links.shorten}
          </button>
        </span>
      </div>
      <div className="under">
        <button type="button" className="btn quiet" aria-expanded={custom} onClick={() => setCustom(!custom)}>
          {words.links.custom}
        </button>
        {lacksScheme && (
          <button type="button" className="btn quiet" onClick={() => setUrl(`https://${url.trim()}`)}>
            {words.links.addHttps}
          </button>
        )}
        <span className="q">{words.links.left(Math.max(0, limit - used), limit, asTime(resetsAt))}</span>
      </div>
      {custom && (
        <div className="made narrow-field">
          <Field name="custom_slug" label={words.links.custom} error={create.error} required={false} autoFocus />
        </div>
      )}
      {create.error && (
        <div className="made">
          <ErrorNote error={create.error} fields={custom ? ['custom_slug'] : []} />
        </div>
      )}
      {create.data && !create.error && <Made made={create.data} copied={copied} />}
    </form>
  );
}

function Made({ made, copied }: { made: Created; copied: boolean }) {
  const { link, short_url: short, warning } = made;
  if (warning !== undefined) {
    return (
      <p className="note flag made">
        <Icon name="flagged" />
        <span>
          <b>{words.links.flagged}</b> {words.links.flaggedWhy(short, threat(warning.threat_type))}
        </span>
      </p>
    );
  }
  return (
    <p className="note good made">
      <Icon name="tick" />
      <span>
        <Link href={`/links/${link.slug}`}>
          <b>{short}</b>
        </Link>{' '}
        {copied ? words.links.readyCopied : words.links.ready}
      </span>
      {!copied && <CopyIcon text={short} what={short} />}
    </p>
  );
}

interface PagesProps {
  readonly page: number;
  readonly pages: number;
  readonly total: number;
  readonly shown: number;
  readonly onPage: (page: number) => void;
}

function Pages({ page, pages, total, shown, onPage }: PagesProps) {
  const first = (page - 1) * PAGE_SIZE;
  const [atStart, atEnd] = [page <= 1, page >= pages];
  return (
    <div className="foot">
      <span className="num">
        {words.links.range(Math.min(first + 1, total), Math.min(first + shown, total), total)}
      </span>
      <nav className="pages" aria-label={words.links.pages}>
        <button
          type="button"
          className="btn quiet"
          aria-label={words.links.previous}
          aria-disabled={atStart}
          onClick={() => !atStart && onPage(page - 1)}
        >
          <Icon name="back" />
        </button>
        <span className="num">{words.links.page(page, pages)}</span>
        <button
          type="button"
          className="btn quiet"
          aria-label={words.links.next}
          aria-disabled={atEnd}
          onClick={() => !atEnd && onPage(page + 1)}
        >
          <Icon name="forth" />
        </button>
      </nav>
    </div>
  );
}
