import { navigate, useSearch } from 'wouter/use-browser-location';
import type { Link, ListQuery } from '../api.ts';
import { oneOf, orNone } from '../hooks/url-state.ts';
import screens from '../screens.json' with { type: 'json' };
import { words } from '../words.ts';

export const STATUSES = ['', 'active', 'flagged', 'revoked'] as const;
/** Each order of the API has a label in the words, in the order of the menu. Without one this does not compile. */
type Sort = NonNullable<ListQuery['sort']>;
const labels: Readonly<Record<Sort, Readonly<Record<'desc' | 'asc', string>>>> = words.links.sorts;
export const SORTS = Object.keys(labels) as Sort[];
export const PAGE_SIZES = [25, 50, 100] as const;

interface Filter {
  readonly search: string;
  readonly status: '' | Link['status'];
  readonly tag: readonly string[];
  readonly sort: Sort;
  readonly order: 'asc' | 'desc';
}
export interface Listing extends Filter {
  readonly page: number;
  readonly limit: number;
}

export const queryOf = ({ search, status, ...rest }: Filter | Listing): ListQuery => ({
  ...rest,
  search: orNone(search),
  status: orNone(status),
});

export const ORDERS = ['desc', 'asc'] as const;
export const ALL: Listing = { page: 1, limit: 25, search: '', status: '', tag: [], sort: 'created_at', order: 'desc' };
/** The API accepts at most this many tags in a filter. */
const TAGS = 10;

export const withTag = (tags: readonly string[], tag: string) => [...new Set([...tags, tag])].slice(0, TAGS);

/** Keeps values that differ from the defaults in the URL. Wouter's `useSearchParams` would decode them twice. */
export function useListing() {
  const params = new URLSearchParams(useSearch());
  const param = (name: string) => params.get(name) ?? '';
  const page = Number(params.get('page') ?? '1');
  const listing: Listing = {
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
    limit: oneOf(PAGE_SIZES, param('limit')),
    search: param('search'),
    status: oneOf(STATUSES, param('status')),
    tag: params
      .getAll('tag')
      .filter((tag) => tag !== '')
      .slice(0, TAGS),
    sort: SORTS.find((sort) => sort === param('sort')) ?? ALL.sort,
    order: oneOf(ORDERS, param('order')),
  };
  /** A correction replaces the URL in the history, so that "back" does not return to the wrong one. */
  const show = (change: Partial<Listing>, isCorrection = false) => {
    const { tag, ...single } = { ...listing, page: 1, ...change };
    const unusual = Object.entries(single).filter(([name, value]) => value !== ALL[name as keyof Listing]);
    const pairs = [...unusual, ...tag.map((each) => ['tag', each] as const)];
    const query = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]));
    navigate(`${screens.links}${query.size > 0 ? `?${query}` : ''}`, { replace: isCorrection || 'search' in change });
  };
  return [listing, show] as const;
}
