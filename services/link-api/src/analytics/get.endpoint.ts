import { DEFAULT_PERIOD, PERIODS, type Period, TOP_N } from '@waypost/domain';
import Joi from 'joi';
import { slugField, slugParam } from '../links/links.schema.ts';
import { endpoint, wrong } from '../platform/endpoint.ts';
import { type Fields, list, named, object, oneOf, optional, whole } from '../platform/fields.ts';
import { getAnalytics } from './get.ts';

const periods = Object.keys(PERIODS) as Period[];
const topOf = <F extends Fields>(counted: F, description: string) =>
  list(object({ ...counted, count: whole }))
    .max(TOP_N)
    .description(`${description} At most ${TOP_N}, the highest count first.`);

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
  query: {
    period: oneOf(periods)
      .optional()
      .default(DEFAULT_PERIOD)
      .description('The last 7, 30 or 90 UTC days, today included.'),
    bots: oneOf(['include', 'exclude'])
      .optional()
      .default('include')
      .description('`exclude` leaves known bots out of every figure.'),
  },
  answers: {
    200: {
      means: 'The figures.',
      schema: named('Analytics', 'Clicks of one link. A click is a GET that was answered with a redirect.', {
        slug: slugField,
        period: oneOf(periods).description('As asked.'),
        total_clicks: whole.description('Clicks within the period, those of bots included unless they were left out.'),
        unique_visitors: whole.description('Different visitors, told apart by a keyed hash of their address.'),
        bot_clicks: whole.description('How many of `total_clicks` came from known bots.'),
        imported_clicks: optional(whole).description(
          'How many of `total_clicks` were counted by the service that the link moved from, and are known by their day alone; absent if there are none.',
        ),
        time_series: list(object({ date: Joi.string().meta({ format: 'date' }), clicks: whole })).description(
          'One entry for each UTC day, zeros included, oldest first. Its sum is `total_clicks`.',
        ),
        top_referrers: topOf({ referrer: Joi.string() }, 'Host names; `direct` where there was none.'),
        top_countries: topOf({ country: Joi.string() }, 'ISO 3166-1 alpha-2 codes; unknown ones are left out.'),
        top_devices: topOf({ device: Joi.string() }, '`desktop`, `mobile` or `tablet`.'),
        top_browsers: topOf({ browser: Joi.string() }, 'Browsers by name.'),
      }),
      examples: {
        'A week': {
          slug: 'aB3dE6g',
          period: '7d',
          total_clicks: 42,
          unique_visitors: 31,
          bot_clicks: 3,
          time_series: [3, 5, 0, 9, 12, 8, 5].map((clicks, i) => ({ date: `2026-11-${15 + i}`, clicks })),
          top_referrers: [
            { referrer: 'direct', count: 25 },
            { referrer: 'news.example.com', count: 17 },
          ],
          top_countries: [
            { country: 'DE', count: 30 },
            { country: 'JP', count: 10 },
          ],
          top_devices: [
            { device: 'mobile', count: 28 },
            { device: 'desktop', count: 14 },
          ],
          top_browsers: [
            { browser: 'Chrome', count: 22 },
            { browser: 'Firefox', count: 20 },
          ],
        },
      },
    },
  },
  errors: [wrong('Another period', { period: 'must be one of 7d, 30d, 90d' }), 'link_not_found'],
  cli: 'waypost analytics aB3dE6g --period 7d --bots exclude',
  handle: ({ caller, params, query, signal }, deps) => getAnalytics(deps, caller.accountId, params.slug, query, signal),
});
