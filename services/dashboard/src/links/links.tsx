import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { type Account, type Link, waypost } from '../api.ts';
import { Awaited, Button, Empty, Head, Icon, Pages, Skeleton, shortUrl, useAnnounce } from '../components/index.ts';
import { useLastPage } from '../hooks/last-page.ts';
import { openSheet } from '../qr/open-sheet.ts';
import { fill, words } from '../words.ts';
import { CreateBar } from './create-bar.tsx';
import { Filters } from './filters.tsx';
import { DAYS, MostClickedNote } from './link-clicks.tsx';
import { LinkTable } from './link-table.tsx';
import { ALL, type Listing, PAGE_SIZES, queryOf, useListing } from './listing.ts';
import { RevokeDialog } from './revoke-dialog.tsx';
import { RevokeManyDialog } from './revoke-many-dialog.tsx';
import { TagManyDialog } from './tag-many-dialog.tsx';

const t = words.links;

const ExportDialog = lazy(() => import('./export-dialog.tsx'));

function useSelection() {
  const [selection, setSelection] = useState<ReadonlyMap<string, Link>>(new Map());
  const select = (links: readonly Link[], on: boolean) =>
    setSelection((last) => {
      const others = [...last].filter(([slug]) => !links.some((link) => link.slug === slug));
      return new Map([...others, ...(on ? links.map((link) => [link.slug, link] as const) : [])]);
    });
  return { selection, select, clear: () => setSelection(new Map()) };
}

export function Links({ account }: { account: Account }) {
  const [listing, show] = useListing();
  const links = useQuery({
    queryKey: ['links', listing],
    queryFn: ({ signal }) => waypost.list(queryOf(listing), { signal }),
    placeholderData: keepPreviousData,
  });
  const [open, setOpen] = useState<'export' | 'revoke' | 'tag' | Link>();
  const { selection, select, clear } = useSelection();
  const close = () => setOpen(undefined);
  const base = account.redirect_base_url;
  const { data: rows = [], total = 0, total_pages: pages = 1 } = links.data ?? {};
  const isPast = useLastPage(links, (page) => show({ page }, true));
  return (
    <>
      <CreateBar account={account} />
      <Head title={t.title}>
        <Button isDisabled={total === 0} onClick={() => setOpen('export')}>
          <Icon name="download" />
          {words.export.open}
        </Button>
      </Head>
      {selection.size > 0 ? (
        <SelectionBar
          count={selection.size}
          onPrint={() => openSheet([...selection.values()])}
          onTag={() => setOpen('tag')}
          onRevoke={() => setOpen('revoke')}
          onClear={clear}
        />
      ) : (
        <Filters listing={listing} onShow={show} />
      )}
      {listing.sort === 'clicks' && <MostClickedNote />}
      <div className="card" aria-busy={links.isFetching}>
        {links.data === undefined ? (
          <Awaited query={links} rows={5} />
        ) : isPast ? (
          <Skeleton rows={5} />
        ) : rows.length > 0 ? (
          <LinkTable
            links={rows}
            pages={pages}
            base={base}
            listing={listing}
            onShow={show}
            selection={selection}
            onSelect={select}
            onRevoke={setOpen}
          />
        ) : (
          <NoLinks
            isRanked={listing.sort === 'clicks'}
            isFiltered={listing.search !== '' || listing.status !== '' || listing.tag.length > 0}
            onShow={show}
          />
        )}
      </div>
      {total > 0 && (
        <Pages
          page={listing.page}
          pages={pages}
          total={total}
          size={listing.limit}
          sizes={PAGE_SIZES}
          onPage={(page) => show({ page })}
          onSize={(limit) => show({ limit })}
        />
      )}
      {open === 'export' && (
        <Suspense>
          <ExportDialog listing={listing} total={total} onClose={close} />
        </Suspense>
      )}
      {open === 'revoke' && (
        <RevokeManyDialog links={[...selection.values()]} onClose={close} onRevoked={(link) => select([link], false)} />
      )}
      {open === 'tag' && <TagManyDialog links={[...selection.values()]} onClose={close} onTagged={clear} />}
      {typeof open === 'object' && <RevokeDialog slug={open.slug} short={shortUrl(base, open.slug)} onClose={close} />}
    </>
  );
}

interface NoLinksProps {
  readonly isRanked: boolean;
  readonly isFiltered: boolean;
  readonly onShow: (change: Listing) => void;
}

function NoLinks({ isRanked, isFiltered, onShow }: NoLinksProps) {
  const showAll = () => onShow(ALL);
  if (isFiltered)
    return (
      <Empty title={t.nothing}>
        <Button onClick={showAll}>{t.clear}</Button>
      </Empty>
    );
  return isRanked ? (
    <Empty title={fill(words.link.noClicks, { days: DAYS })}>
      <Button onClick={showAll}>{t.sorts.created_at.desc}</Button>
    </Empty>
  ) : (
    <Empty title={t.none}>
      <p>{t.noneHow}</p>
    </Empty>
  );
}

interface SelectionBarProps {
  readonly count: number;
  readonly onPrint: () => void;
  readonly onTag: () => void;
  readonly onRevoke: () => void;
  readonly onClear: () => void;
}

function SelectionBar({ count, onPrint, onTag, onRevoke, onClear }: SelectionBarProps) {
  const announce = useAnnounce();
  useEffect(() => announce(fill(t.selected, { count })), [announce, count]);
  return (
    <div className="selbar">
      <b>{fill(t.selected, { count })}</b>
      <span className="grow" />
      <Button variant="quiet" onClick={onClear}>
        {t.unselect}
      </Button>
      <Button onClick={onPrint}>{words.sheet.open}</Button>
      <Button onClick={onTag}>{words.tagMany.open}</Button>
      <Button variant="danger" onClick={onRevoke}>
        {words.revoke.open}
      </Button>
    </div>
  );
}
