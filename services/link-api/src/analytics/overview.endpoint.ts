import { CLICK_RETENTION_DAYS, TOP_N } from '@waypost/domain';
import Joi from 'joi';
import { CLICKS, slugField } from '../links/index.ts';
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
  concurrency: CLICKS,
  summary: 'Get the analytics of your account',
  description:
    'Returns the clicks of all your links together. Clicks usually appear within seconds, and at the latest within an hour.',
  query: periodAndBots,
  answers: {
    200: {
      means: 'The analytics.',
      schema: named('Overview', 'The analytics of all links of an account.', {
        ...figuresWith(
          'Unique visitors, counted once per link. Exact up to 50,000; above that, an estimate to within 1%.',
        ),
        top_links: list(object({ slug: slugField, title: nullable(Joi.string()), clicks: whole }))
          .max(TOP_N)
          .description(`The ${TOP_N} links with the most clicks, highest count first.`),
        previous: nullable(object({ total_clicks: whole, unique_visitors: whole })).description(
          `The same figures for the preceding period. Null for \`90d\`, because clicks are stored for ${CLICK_RETENTION_DAYS} days.`,
        ),
        links: object({
          created: whole.description('Links created in the period.'),
          flagged: whole.description('Links that were flagged in the period and still are.'),
          revoked: whole.description('Links revoked in the period.'),
        }).description('The changes to the links of the account.'),
      }),
      examples: {
        '7 days': {
          ...A_WEEK,
          top_links: [
            { slug: 'aB3dE6g', title: null, clicks: 30 },
            { slug: 'summer', title: 'Menu of the summer festival', clicks: 12 },
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
