import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useId, useState } from 'react';
import { Link } from 'wouter';
import { navigate, useSearch } from 'wouter/use-browser-location';
import {
  type Account,
  type Link as LinkBody,
  type Listing,
  PAGE_SIZES,
  queryOf,
  SORTS,
  STATUSES,
  waypost,
} from '../api.ts';
import { oneOf } from '../asked.ts';
import { TagSuggestions, useFacets } from '../facets.tsx';
import { Pages } from '../pages.tsx';
import {
  ActionsHead,
  Button,
  ChosenTag,
  CopyIcon,
  Destination,
  Empty,
  Head,
  Icon,
  LoadError,
  onForm,
  Segments,
  Skeleton,
  Status,
  shortUrl,
  Tag,
  textIn,
  useSay,
  When,
} from '../parts.tsx';
import screens from '../screens.json';
import { SearchField } from '../search-field.tsx';
import { fill, words } from '../words.ts';
import { CreateBar } from './create-bar.tsx';
import { QrButton } from './qr.tsx';
import { RevokeDialog, RevokeManyDialog } from './revoke-dialog.tsx';

const ExportDialog = lazy(() => import('./export-dialog.tsx'));

const ORDERS = ['desc', 'asc'] as const;
const UNASKED: Listing = { page: 1, limit: 25, search: '', status: '', tag: [], sort: 'created_at', order: 'desc' };
/** The API takes as many. */
const TAGS = 10;

/** What is looked for stands in the address bar; what nobody asked for does not. Wouter's `useSearchParams` decodes twice. */
function useListing() {
  const params = new URLSearchParams(useSearch());
  const given = (name: string) => params.get(name) ?? '';
  const page = Number(params.get('page') ?? '1');
  const asked: Listing = {
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
    limit: oneOf(PAGE_SIZES, given('limit')),
    search: given('search'),
    status: oneOf(STATUSES, given('status')),
    tag: params
      .getAll('tag')
      .filter((tag) => tag !== '')
      .slice(0, TAGS),
    sort: oneOf(SORTS, given('sort')),
    order: oneOf(ORDERS, given('order')),
  };
  /** A correction replaces what was asked, so that "back" does not lead to it again. */
  const ask = (change: Partial<Listing>, isCorrection = false) => {
    const { tag, ...single } = { ...asked, page: 1, ...change };
    const shown = Object.entries(single).filter(
      ([name, value]) => value !== Object.entries(UNASKED).find(([known]) => known === name)?.[1],
    );
    const next = [...shown, ...tag.map((each) => ['tag', each] as const)];
    const query = new URLSearchParams(next.map(([name, value]) => [name, String(value)]));
    navigate(`${screens.links}${query.size > 0 ? `?${query}` : ''}`, { replace: isCorrection || 'search' in change });
  };
  return [asked, ask] as const;
}

export function Links({ account }: { account: Account }) {
  const queries = useQueryClient();
  const [asked, ask] = useListing();
  const links = useQuery({
    queryKey: ['links', asked],
    queryFn: ({ signal }) => waypost.list(queryOf(asked), { signal }),
    placeholderData: keepPreviousData,
  });
  const [revoking, setRevoking] = useState<LinkBody>();
  const [open, setOpen] = useState<'export' | 'revoke'>();
  const [selected, setSelected] = useState<ReadonlyMap<string, LinkBody>>(new Map());
  const base = account.redirect_base_url;
  const { data: rows = [], total = 0, total_pages: pages = 1 } = links.data ?? {};
  const isFiltered = asked.search !== '' || asked.status !== '' || asked.tag.length > 0;
  const changed = () => void queries.invalidateQueries({ queryKey: ['links'] });
  const isPast = !links.isPlaceholderData && total > 0 && asked.page > pages;
  useEffect(() => {
    if (isPast) ask({ page: pages }, true);
  });
  const select = (which: readonly LinkBody[], on: boolean) => {
    const next = new Map(selected);
    for (const link of which) {
      if (on) next.set(link.slug, link);
      else next.delete(link.slug);
    }
    setSelected(next);
  };
  return (
    <>
      <CreateBar account={account} />
      <Head title={words.links.title}>
        <Button isOff={total === 0} onClick={() => setOpen('export')}>
          <Icon name="download" />
          {words.export.open}
        </Button>
      </Head>
      {selected.size > 0 ? (
        <SelectionBar count={selected.size} onRevoke={() => setOpen('revoke')} onClear={() => setSelected(new Map())} />
      ) : (
        <Filters asked={asked} ask={ask} />
      )}
      <div className="card" aria-busy={links.isFetching}>
        {links.error && links.data === undefined ? (
          <LoadError error={links.error} retry={() => links.refetch()} />
        ) : links.data === undefined || isPast ? (
          <Skeleton rows={5} />
        ) : rows.length > 0 ? (
          <table className="tbl links">
            <caption className="sr">{fill(words.links.table, { page: asked.page, pages })}</caption>
            <thead>
              <tr>
                <th className="c-sel">
                  <input
                    type="checkbox"
                    aria-label={words.links.selectAll}
                    checked={rows.every(({ slug }) => selected.has(slug))}
                    onChange={(event) => select(rows, event.currentTarget.checked)}
                  />
                </th>
                <SortHead by="slug" label={words.links.link} asked={asked} ask={ask} />
                <th className="c-tags">{words.links.tags}</th>
                <SortHead by="status" label={words.links.status} asked={asked} ask={ask} className="c-status" />
                <SortHead by="created_at" label={words.links.created} asked={asked} ask={ask} className="c-when" />
                <ActionsHead />
              </tr>
            </thead>
            <tbody>
              {rows.map((link) => (
                <Row
                  key={link.slug}
                  link={link}
                  base={base}
                  isSelected={selected.has(link.slug)}
                  onSelect={(on) => select([link], on)}
                  onTag={(tag) => ask({ tag: [...new Set([...asked.tag, tag])].slice(0, TAGS) })}
                  onRevoke={() => setRevoking(link)}
                />
              ))}
            </tbody>
          </table>
        ) : isFiltered ? (
          <Empty title={words.links.nothing}>
            <Button onClick={() => ask(UNASKED)}>{words.links.clear}</Button>
          </Empty>
        ) : (
          <Empty title={words.links.none}>
            <p>{words.links.noneHow}</p>
          </Empty>
        )}
      </div>
      {total > 0 && (
        <Pages
          page={asked.page}
          pages={pages}
          total={total}
          size={asked.limit}
          sizes={PAGE_SIZES}
          onPage={(page) => ask({ page })}
          onSize={(limit) => ask({ limit })}
        />
      )}
      {revoking !== undefined && (
        <RevokeDialog
          slug={revoking.slug}
          short={shortUrl(base, revoking.slug)}
          onClose={() => setRevoking(undefined)}
          onRevoked={changed}
        />
      )}
      {open === 'revoke' && (
        <RevokeManyDialog
          links={[...selected.values()]}
          onClose={() => {
            setOpen(undefined);
            changed();
          }}
          onRevoked={(slug) => setSelected((all) => new Map([...all].filter(([each]) => each !== slug)))}
        />
      )}
      {open === 'export' && (
        <Suspense>
          <ExportDialog listing={asked} total={total} onClose={() => setOpen(undefined)} />
        </Suspense>
      )}
    </>
  );
}

interface AskedProps {
  readonly asked: Listing;
  readonly ask: (change: Partial<Listing>) => void;
}

function Filters({ asked, ask }: AskedProps) {
  const { data: { total, statuses } = {} } = useFacets();
  return (
    <search className="filters">
      <SearchField label={words.links.search} value={asked.search} onChange={(search) => ask({ search })} />
      <Segments
        label={words.links.status}
        options={STATUSES.map((each) =>
          each === '' ? [each, words.links.all, total] : [each, words.links.statuses[each], statuses?.[each]],
        )}
        value={asked.status}
        onChange={(status) => ask({ status })}
      />
      <TagFilter tags={asked.tag} onChange={(tag) => ask({ tag })} />
      <span className="grow" />
      <select
        className="in sort"
        aria-label={words.links.sort}
        value={`${asked.sort} ${asked.order}`}
        onChange={(event) => {
          const [sort = '', order = ''] = event.currentTarget.value.split(' ');
          ask({ sort: oneOf(SORTS, sort), order: oneOf(ORDERS, order) });
        }}
      >
        {SORTS.flatMap((sort) =>
          ORDERS.map((order) => (
            <option key={`${sort} ${order}`} value={`${sort} ${order}`}>
              {words.links.sorts[sort][order]}
            </option>
          )),
        )}
      </select>
    </search>
  );
}

/** The API looks for exactly these tags. */
function TagFilter({ tags, onChange }: { tags: readonly string[]; onChange: (tags: readonly string[]) => void }) {
  const id = useId();
  return (
    <form
      className="tagfilter"
      onSubmit={onForm((form) => {
        const tag = textIn(form, 'tag').trim();
        form.reset();
        if (tag !== '') onChange([...new Set([...tags, tag])].slice(0, TAGS));
      })}
    >
      {tags.map((tag) => (
        <ChosenTag key={tag} tag={tag} onRemove={() => onChange(tags.filter((each) => each !== tag))} />
      ))}
      <input
        className="in"
        name="tag"
        autoComplete="off"
        list={id}
        aria-label={words.links.tagFilter}
        placeholder={words.links.tagFilter}
      />
      <TagSuggestions id={id} />
    </form>
  );
}

function SelectionBar({ count, onRevoke, onClear }: { count: number; onRevoke: () => void; onClear: () => void }) {
  const say = useSay();
  useEffect(() => say(fill(words.links.selected, { count })), [say, count]);
  return (
    <div className="selbar">
      <b>{fill(words.links.selected, { count })}</b>
      <span className="grow" />
      <Button look="quiet" onClick={onClear}>
        {words.links.unselect}
      </Button>
      <Button look="danger" onClick={onRevoke}>
        {words.revoke.open}
      </Button>
    </div>
  );
}

interface SortHeadProps extends AskedProps {
  readonly by: Listing['sort'];
  readonly label: string;
  readonly className?: string;
}

function SortHead({ by, label, asked: { sort, order }, ask, className }: SortHeadProps) {
  const is = sort === by;
  const up = order === 'asc';
  return (
    <th className={className} aria-sort={is ? (up ? 'ascending' : 'descending') : undefined}>
      <button type="button" onClick={() => ask({ sort: by, order: is === up ? 'desc' : 'asc' })}>
        {label}
        {is && <Icon name={up ? 'up' : 'down'} />}
      </button>
    </th>
  );
}

interface RowProps {
  readonly link: LinkBody;
  readonly base: string;
  readonly isSelected: boolean;
  readonly onSelect: (on: boolean) => void;
  readonly onTag: (tag: string) => void;
  readonly onRevoke: () => void;
}

/** More tags than these are one number. */
const TAGS_SHOWN = 2;

function Row({ link, base, isSelected, onSelect, onTag, onRevoke }: RowProps) {
  const short = shortUrl(base, link.slug);
  const url = `${base}/${link.slug}`;
  const more = link.tags.slice(TAGS_SHOWN);
  return (
    <tr className={`is-${link.status}${isSelected ? ' is-selected' : ''}`}>
      <td className="c-sel">
        <input
          type="checkbox"
          aria-label={fill(words.links.select, { slug: link.slug })}
          checked={isSelected}
          onChange={(event) => onSelect(event.currentTarget.checked)}
        />
      </td>
      <td className="c-link">
        <span className="link">
          <Link href={`/links/${link.slug}`}>
            <span className="host">{short.slice(0, -link.slug.length)}</span>
            {link.slug}
          </Link>
          <CopyIcon text={url} what={short} />
        </span>
        <Destination url={link.destination_url} />
      </td>
      <td className="c-tags">
        <span className="tags">
          {link.tags.slice(0, TAGS_SHOWN).map((tag) => (
            <button
              type="button"
              className="tag"
              key={tag}
              title={fill(words.links.withTag, { tag })}
              onClick={() => onTag(tag)}
            >
              <bdi className="cut">{tag}</bdi>
            </button>
          ))}
          {more.length > 0 && <Tag title={more.join(', ')}>{`+${more.length}`}</Tag>}
        </span>
      </td>
      <td className="c-status">
        <Status status={link.status} />
      </td>
      <td className="c-when when">
        <When at={link.created_at} />
      </td>
      <td className="c-act">
        <QrButton url={url} slug={link.slug} />
        {link.status === 'active' && (
          <Button look="quiet danger" label={fill(words.revoke.openFor, { slug: link.slug })} onClick={onRevoke}>
            {words.revoke.open}
          </Button>
        )}
      </td>
    </tr>
  );
}
