import { isSlug, linkNotFound, rangeOf, timeSeries } from '@waypost/domain';
import Joi from 'joi';
import { CLICKS, slugField } from '../links/index.ts';
import { endpoint, wrong } from '../platform/endpoint.ts';
import { countedList, list, named, object } from '../platform/fields.ts';
import { A_WEEK, periodAndBots, periodField, timeSeriesField, totalClicks, wrongPeriod } from './analytics.schema.ts';
import type { AnalyticsPorts } from './ports.ts';

const SLUGS_MAX = 100;
/** A fault repeats at most this many characters of a slug. */
const NAMED = 100;

export const getLinkClicksEndpoint = endpoint({
  id: 'getLinkClicks',
  method: 'GET',
  path: '/links/clicks',
  scope: 'read',
  concurrency: CLICKS,
  tag: 'Analytics',
  summary: 'Get the clicks of several links',
  description: `Returns the daily clicks of up to ${SLUGS_MAX} links. Clicks usually appear within seconds, and at the latest within an hour.`,
  query: {
    slugs: countedList(Joi.string<string>().meta({ minLength: 1, pattern: '^[^,]+$' }), (values) =>
      slugsProblem(slugsIn(values)),
    )
      .meta({ minItems: 1, maxItems: SLUGS_MAX, uniqueItems: true })
      .description(
        `The slugs of 1 to ${SLUGS_MAX} of your links, each once. Repeat the parameter, or separate the slugs with commas.`,
      )
      .example(['aB3dE6g', 'summer']),
    ...periodAndBots,
  },
  answers: {
    200: {
      means: 'The clicks, in the order of the slugs.',
      schema: named('LinkClicks', 'The clicks of several links.', {
        period: periodField,
        links: list(object({ slug: slugField, total_clicks: totalClicks, time_series: timeSeriesField })).max(
          SLUGS_MAX,
        ),
      }),
      examples: {
        '7 days of one link': {
          period: '7d',
          links: [
            {
              slug: 'aB3dE6g',
              total_clicks: A_WEEK.total_clicks,
              time_series: A_WEEK.time_series,
            },
          ],
        },
      },
    },
  },
  errors: [wrong('Too many slugs', { slugs: tooMany(SLUGS_MAX + 1) }), wrongPeriod, 'link_not_found'],
  handle: async ({ caller: { accountId }, query: { period, bots, ...query }, signal }, ports: AnalyticsPorts) => {
    const slugs = slugsIn(query.slugs);
    const existing = await ports.links.findAll(slugs.filter(isSlug));
    const own = new Set(existing.flatMap(({ slug, ownerId }) => (ownerId === accountId ? [slug] : [])));
    for (const slug of slugs) if (!own.has(slug)) throw linkNotFound(slug);
    const at = ports.now();
    const days = await ports.stats.days(accountId, slugs, rangeOf(period, at), bots, signal);
    const bySlug = Map.groupBy(days, ({ slug }) => slug);
    return {
      period,
      links: slugs.map((slug) => {
        const ofLink = bySlug.get(slug) ?? [];
        const total_clicks = ofLink.reduce((sum, { clicks }) => sum + clicks, 0);
        return { slug, total_clicks, time_series: timeSeries(period, at, ofLink) };
      }),
    };
  },
});

const slugsIn = (values: readonly unknown[]) => values.flatMap((value) => String(value).split(','));

function tooMany(count: number): string {
  return `must have at most ${SLUGS_MAX} entries, not ${count}`;
}

function slugsProblem(slugs: readonly string[]): string | undefined {
  if (slugs.includes('')) return 'must be slugs separated by commas';
  if (slugs.length > SLUGS_MAX) return tooMany(slugs.length);
  const repeated = slugs.find((slug, i) => slugs.indexOf(slug) < i);
  return repeated === undefined ? undefined : `must not repeat "${repeated.slice(0, NAMED)}"`;
}
