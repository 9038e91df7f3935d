import { slugField, slugParam } from '../links/index.ts';
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
  share: 'analytics',
  tag: 'Analytics',
  summary: 'Read the clicks of a link',
  description: 'Figures over the last 7, 30 or 90 days. A click appears within seconds; allow for an hour.',
  params: { slug: slugParam },
  query: periodAndBots,
  answers: {
    200: {
      means: 'The figures.',
      schema: named('Analytics', 'Clicks of one link. A click is a GET that was answered with a redirect.', {
        slug: slugField,
        ...figuresWith('Different visitors, told apart by a keyed hash of their address.'),
      }),
      examples: { 'A week': { slug: 'aB3dE6g', ...A_WEEK } },
    },
  },
  errors: [wrongPeriod, 'link_not_found'],
  cli: 'waypost analytics aB3dE6g --period 7d --bots exclude',
  handle: ({ caller, params, query, signal }, deps: AnalyticsPorts) =>
    getAnalytics(deps, caller.accountId, params.slug, query, signal),
});
