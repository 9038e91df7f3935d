/** Declares what the endpoints about clicks share (docs/contract.md, GET /links/:slug/analytics). */
import { DEFAULT_PERIOD, PERIODS, type Period, TOP_N } from '@waypost/domain';
import Joi from 'joi';
import { wrong } from '../platform/endpoint.ts';
import { type Fields, list, object, oneOf, optional, whole } from '../platform/fields.ts';

const periods = Object.keys(PERIODS) as Period[];

export const periodAndBots = {
  period: oneOf(periods)
    .optional()
    .default(DEFAULT_PERIOD)
    .description('The period: the last 7, 30 or 90 UTC days, including today.'),
  bots: oneOf(['include', 'exclude'])
    .optional()
    .default('include')
    .description('Whether to count known bots. With `exclude`, no figure includes them.'),
};

export const wrongPeriod = wrong('Unknown period', { period: 'must be one of 7d, 30d, 90d' });

export const periodField = oneOf(periods).description('The requested period.');
export const totalClicks = whole.description('Clicks within the period, including bots unless they are excluded.');
export const timeSeriesField = list(object({ date: Joi.string().meta({ format: 'date' }), clicks: whole })).description(
  'One entry per UTC day, including days without clicks, oldest first. The sum is `total_clicks`.',
);

const topOf = <F extends Fields>(counted: F, description: string) =>
  list(object({ ...counted, count: whole }))
    .max(TOP_N)
    .description(`${description} The top ${TOP_N}, highest count first.`);

/** The figures of one link, or of all links of an account. */
export const figuresWith = (visitors: string) => ({
  period: periodField,
  total_clicks: totalClicks,
  unique_visitors: whole.description(visitors),
  bot_clicks: whole.description('The number of `total_clicks` that came from known bots.'),
  imported_clicks: optional(whole).description(
    'The number of `total_clicks` that were imported from another service. Only their days are known. Absent if there are none.',
  ),
  time_series: timeSeriesField,
  top_referrers: topOf({ referrer: Joi.string() }, 'Host names. `direct` if there was no referrer.'),
  top_countries: topOf({ country: Joi.string() }, 'ISO 3166-1 alpha-2 codes. Unknown countries are not included.'),
  top_devices: topOf({ device: Joi.string() }, 'Device types: `desktop`, `mobile` or `tablet`.'),
  top_browsers: topOf({ browser: Joi.string() }, 'Names of browsers.'),
});

export const A_WEEK = {
  period: '7d' as const,
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
};
