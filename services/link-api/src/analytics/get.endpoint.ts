import { CLICKS, slugField, slugParam } from '../links/index.ts';
import { endpoint } from '../platform/endpoint.ts';
import { named } from '../platform/fields.ts';
import { A_WEEK, figuresWith, periodAndBots, wrongPeriod } from './analytics.schema.ts';
import { getAnalytics } from './get.ts';
import type { AnalyticsPorts } from './ports.ts';

export const getAnalyticsEndpoint = endpoint({
  id: 'getAnalytics',
  method: 'GET',
  path: '/links/:slug/analytics',
  scope: 'read',
  concurrency: CLICKS,
  tag: 'Analytics',
  summary: 'Get the analytics of a link',
  description:
    'Returns the clicks of a link in the last 7, 30 or 90 days. Clicks usually appear within seconds, and at the latest within an hour.',
  params: { slug: slugParam },
  query: periodAndBots,
  answers: {
    200: {
      means: 'The analytics.',
      schema: named('Analytics', 'The analytics of a link. A click is a GET request that was redirected.', {
        slug: slugField,
        ...figuresWith('Unique visitors, identified by a keyed hash of their IP address.'),
      }),
      examples: { '7 days': { slug: 'aB3dE6g', ...A_WEEK } },
    },
  },
  errors: [wrongPeriod, 'link_not_found'],
  cli: 'waypost analytics aB3dE6g --period 7d --bots exclude',
  handle: ({ caller, params, query, signal }, deps: AnalyticsPorts) =>
    getAnalytics(deps, caller.accountId, params.slug, query, signal),
});
