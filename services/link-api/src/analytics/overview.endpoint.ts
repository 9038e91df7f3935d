import { CLICK_RETENTION_DAYS, TOP_N } from '@waypost/domain';
import { slugField } from '../links/index.ts';
import { endpoint } from '../platform/endpoint.ts';
import { list, named, nullable, object, whole } from '../platform/fields.ts';
import { A_WEEK, figuresWith, periodAndBots, wrongPeriod } from './analytics.schema.ts';
import { getOverview } from './overview.ts';
import type { AnalyticsPorts } from './ports.ts';

export const getOverviewEndpoint = endpoint({
  id: 'getOverview',
  method: 'GET',
  path: '/analytics',
  scope: 'read',
  share: 'analytics',
  tag: 'Analytics',
  summary: 'Read the clicks of your account',
  description: 'The figures of all your links together. A click appears within seconds; allow for an hour.',
  query: periodAndBots,
  answers: {
    200: {
      means: 'The figures.',
      schema: named('Overview', 'Clicks of all links of an account, and what happened to its links.', {
        ...figuresWith('Visitors, counted once for each link. Exact up to 50,000, and an estimate within 1 % above.'),
        top_links: list(object({ slug: slugField, clicks: whole }))
          .max(TOP_N)
          .description(`The links with the most clicks. At most ${TOP_N}, the highest count first.`),
        previous: nullable(object({ total_clicks: whole, unique_visitors: whole })).description(
          `The same figures of the period before. Null for \`90d\`: clicks are kept for ${CLICK_RETENTION_DAYS} days.`,
        ),
        links: object({
          created: whole.description('Links created in the period.'),
          flagged: whole.description('Links that became flagged in the period and still are.'),
          revoked: whole.description('Links revoked in the period.'),
        }).description('What happened to the links of the account.'),
      }),
      examples: {
        'A week': {
          ...A_WEEK,
          top_links: [
            { slug: 'aB3dE6g', clicks: 30 },
            { slug: 'summer', clicks: 12 },
          ],
          previous: { total_clicks: 35, unique_visitors: 30 },
          links: { created: 4, flagged: 0, revoked: 1 },
        },
      },
    },
  },
  errors: [wrongPeriod],
  cli: 'waypost overview --period 7d',
  handle: ({ caller, query, signal }, deps: AnalyticsPorts) => getOverview(deps, caller.accountId, query, signal),
});
