import { lazy } from 'react';
import { Redirect } from 'wouter';
import { useSearch } from 'wouter/use-browser-location';
import type { Account } from '../api.ts';
import { Skeleton } from '../components/index.ts';
import { useFacets } from '../links/facets.tsx';
import { ALL } from '../links/listing.ts';
import screens from '../screens.json' with { type: 'json' };

const Overview = lazy(() => import('./overview.tsx'));

/**
 * Shows the overview, or the list of links to an account without links. The list was at this path once, so its filters
 * lead to it as well.
 */
export function Home({ account }: { account: Account }) {
  const search = useSearch();
  const isList = [...new URLSearchParams(search).keys()].some((name) => name in ALL);
  const facets = useFacets();
  if (isList) return <Redirect to={`${screens.links}?${search.replace(/^\?/, '')}`} replace />;
  if (facets.data?.total === 0 && !facets.isFetching) return <Redirect to={screens.links} replace />;
  const isKnown = facets.error !== null || (facets.data?.total ?? 0) > 0;
  return isKnown ? <Overview account={account} /> : <Skeleton rows={6} />;
}
