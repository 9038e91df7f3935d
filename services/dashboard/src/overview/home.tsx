import { lazy } from 'react';
import { Redirect } from 'wouter';
import type { Account } from '../api.ts';
import { Skeleton } from '../components/index.ts';
import { useFacets } from '../links/facets.tsx';
import screens from '../screens.json' with { type: 'json' };

const Overview = lazy(() => import('./overview.tsx'));

/** Shows the overview, or the list of links to an account without links. */
export function Home({ account }: { account: Account }) {
  const facets = useFacets();
  if (facets.data?.total === 0 && !facets.isFetching) return <Redirect to={screens.links} replace />;
  const isKnown = facets.error !== null || (facets.data?.total ?? 0) > 0;
  return isKnown ? <Overview account={account} /> : <Skeleton rows={6} />;
}
