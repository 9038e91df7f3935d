import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Link as LinkBody } from '../api.ts';
import {
  ActionsHead,
  CopyIcon,
  copy,
  Destination,
  Icon,
  Menu,
  type MenuItem,
  Status,
  shortUrl,
  Tag,
  useAnnounce,
  When,
  WhenCell,
} from '../components/index.ts';
import { until } from '../language.ts';
import screens from '../screens.json' with { type: 'json' };
import { fill, words } from '../words.ts';
import { EDIT } from './about-fields.tsx';
import type { ListingProps } from './filters.tsx';
import { ClicksCell, useLinkClicks } from './link-clicks.tsx';
import { type Listing, withTag } from './listing.ts';
import { QrButton } from './qr.tsx';

const t = words.links;

interface LinkTableProps extends ListingProps {
  readonly links: readonly LinkBody[];
  readonly pages: number;
  readonly base: string;
  readonly selection: ReadonlyMap<string, LinkBody>;
  readonly onSelect: (links: readonly LinkBody[], on: boolean) => void;
  readonly onRevoke: (link: LinkBody) => void;
}

export function LinkTable({ links, pages, base, selection, onSelect, onRevoke, ...filter }: LinkTableProps) {
  const { listing, onShow } = filter;
  const clicks = useLinkClicks(links);
  return (
    <table className="tbl links">
      <caption className="sr">{fill(t.table, { page: listing.page, pages })}</caption>
      <thead>
        <tr>
          <th className="c-sel">
            <input
              type="checkbox"
              aria-label={t.selectAll}
              checked={links.every(({ slug }) => selection.has(slug))}
              onChange={(event) => onSelect(links, event.currentTarget.checked)}
            />
          </th>
          <SortHead by="slug" label={t.link} {...filter} />
          <th className="c-tags">{t.tags}</th>
          <SortHead by="clicks" label={t.clicks} {...filter} className="c-clicks" />
          <SortHead by="status" label={t.status} {...filter} className="c-status" />
          <SortHead by="created_at" label={t.created} {...filter} className="c-when" />
          <ActionsHead className="c-act" />
        </tr>
      </thead>
      <tbody>
        {links.map((link) => (
          <Row
            key={link.slug}
            link={link}
            base={base}
            clicks={<ClicksCell clicks={clicks.data?.get(link.slug)} isFailed={clicks.isError} />}
            isSelected={selection.has(link.slug)}
            onSelect={(on) => onSelect([link], on)}
            onTag={(tag) => onShow({ tag: withTag(listing.tag, tag) })}
            onRevoke={() => onRevoke(link)}
          />
        ))}
      </tbody>
    </table>
  );
}

interface SortHeadProps extends ListingProps {
  readonly by: Listing['sort'];
  readonly label: string;
  readonly className?: string;
}

function SortHead({ by, label, listing: { sort, order }, onShow, className }: SortHeadProps) {
  const is = sort === by;
  const up = order === 'asc';
  return (
    <th className={className} aria-sort={is ? (up ? 'ascending' : 'descending') : undefined}>
      <button type="button" onClick={() => onShow({ sort: by, order: is === up ? 'desc' : 'asc' })}>
        {label}
        {is && <Icon name={up ? 'up' : 'down'} />}
      </button>
    </th>
  );
}

interface RowProps {
  readonly link: LinkBody;
  readonly base: string;
  readonly clicks: ReactNode;
  readonly isSelected: boolean;
  readonly onSelect: (on: boolean) => void;
  readonly onTag: (tag: string) => void;
  readonly onRevoke: () => void;
}

const TAGS_SHOWN = 2;

function Row({ link, base, clicks, isSelected, onSelect, onTag, onRevoke }: RowProps) {
  const short = shortUrl(base, link.slug);
  const url = `${base}/${link.slug}`;
  const more = link.tags.slice(TAGS_SHOWN);
  const announce = useAnnounce();
  const page = screens.link.replace(':slug', link.slug);
  const items: readonly MenuItem[] = [
    {
      label: t.copyShort,
      icon: 'copy',
      onChoose: async () => (await copy(url)) && announce(fill(words.copied, { what: short })),
    },
    { label: t.edit, icon: 'edit', href: `${page}${EDIT}` },
    { label: t.details, icon: 'overview', href: page },
    // `+` opens the preview, which counts no click.
    { label: words.link.asVisitor, icon: 'eye', url: link.status === 'active' ? `${url}+` : url },
    ...(link.status === 'active'
      ? [{ label: words.revoke.open, icon: 'revoked', variant: 'danger', onChoose: onRevoke } as const]
      : []),
  ];
  return (
    <tr className={`is-${link.status}${isSelected ? ' is-selected' : ''}`}>
      <td className="c-sel">
        <input
          type="checkbox"
          aria-label={fill(t.select, { slug: link.slug })}
          checked={isSelected}
          onChange={(event) => onSelect(event.currentTarget.checked)}
        />
      </td>
      <td className="c-link">
        {link.title !== null && (
          <b className="cut">
            <bdi>{link.title}</bdi>
          </b>
        )}
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
            <button type="button" className="tag" key={tag} title={fill(t.withTag, { tag })} onClick={() => onTag(tag)}>
              <bdi className="cut">{tag}</bdi>
            </button>
          ))}
          {more.length > 0 && <Tag title={more.join(', ')}>{`+${more.length}`}</Tag>}
        </span>
      </td>
      {clicks}
      <td className="c-status">
        <Status status={link.status} />
        {link.ends_at !== null && link.status !== 'revoked' && (
          <When at={link.ends_at} as={(at) => fill(t.ends, { when: until(at) })} variant="hint" />
        )}
      </td>
      <WhenCell at={link.created_at} />
      <td className="c-act">
        <QrButton url={url} slug={link.slug} />
        <Menu label={fill(t.actionsOf, { slug: link.slug })} items={items} />
      </td>
    </tr>
  );
}
