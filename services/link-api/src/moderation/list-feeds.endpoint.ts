import { LINK_STATUSES } from '@waypost/domain';
import type { ThreatFeed } from '@waypost/ports';
import Joi from 'joi';
import { endpoint } from '../platform/endpoint.ts';
import { list, named, nullable, object, oneOf, time, whole } from '../platform/fields.ts';
import type { OwnListings, Times } from './own-listings.port.ts';
import type { ModerationPorts } from './ports.ts';

const times = (description: string) =>
  object({
    count: whole,
    median_seconds: nullable(whole).description('The median. Null if the count is 0.'),
    longest_seconds: nullable(whole).description('The maximum. Null if the count is 0.'),
  }).description(description);

const EXAMPLE = {
  name: 'urlhaus',
  entries: 21_000,
  updated_at: '2026-11-21T09:30:00.000Z',
  age_seconds: 540,
  stale: false,
  last_error: null,
  own_addresses: [],
  own_links: [],
  removal_url: 'https://urlhaus.abuse.ch/',
};

export const listFeedsEndpoint = endpoint({
  id: 'listFeeds',
  method: 'GET',
  path: '/admin/feeds',
  scope: 'admin',
  summary: 'List threat feeds',
  description:
    'Returns the threat feeds of the scanner, with their age and last error. It also returns which hosts and links of this service they list.',
  answers: {
    200: {
      means: 'The threat feeds.',
      schema: named('ThreatFeedList', 'The threat feeds in use.', {
        data: list(
          named('ThreatFeed', 'A threat feed.', {
            name: Joi.string(),
            entries: whole,
            updated_at: nullable(time).description(
              'When the content last changed. Null if the feed was never fetched. For a shipped feed: the date of its data.',
            ),
            age_seconds: nullable(Joi.number().integer()).description(
              'Seconds since `updated_at`. Null if the feed was never fetched.',
            ),
            stale: Joi.boolean().description('Whether the content has not changed for seven update intervals.'),
            last_error: nullable(Joi.string()).description('The error of the last update. Null if it succeeded.'),
            own_addresses: list(
              object({
                address: Joi.string().description('The host and path. The path `/` stands for the whole host.'),
                since: time,
              }),
            ).description('Hosts and pages of this service that the feed lists. Maximum: 100.'),
            own_links: list(
              object({
                slug: Joi.string(),
                since: time,
                status: oneOf(LINK_STATUSES),
                flagged_at: nullable(time).description('When this feed flagged the link. Null if it did not.'),
              }),
            ).description('Short links that the feed lists. Maximum: 100.'),
            removal_url: nullable(Joi.string()).description(
              'The URL where you can ask the publisher to remove an entry.',
            ),
          }),
        ).description('The threat feeds, sorted by name.'),
        takedown_times: nullable(
          named('TakedownTimes', 'How fast this service stops harmful links.', {
            listings: times('The time from the listing of a short link to its flag, for the links in `own_links`.'),
            reports: times('The time from an upheld report to its decision, in the last 180 days.'),
          }),
        ).description('Figures to include in a request to remove an entry. Null unless a feed lists this service.'),
      }),
      examples: {
        'One feed': { data: [EXAMPLE], takedown_times: null },
        'A feed that lists this service': {
          data: [
            {
              ...EXAMPLE,
              own_addresses: [{ address: 'go.example.org/', since: '2026-11-21T08:00:00.000Z' }],
              own_links: [
                {
                  slug: 'k7Qm2Rx',
                  since: '2026-11-20T08:00:00.000Z',
                  status: 'flagged',
                  flagged_at: '2026-11-20T08:00:04.000Z',
                },
              ],
            },
          ],
          takedown_times: {
            listings: { count: 1, median_seconds: 4, longest_seconds: 4 },
            reports: { count: 12, median_seconds: 2_400, longest_seconds: 30_000 },
          },
        },
      },
    },
  },
  errors: ['unavailable'],
  cli: 'waypost admin feeds',
  handle: async (_call, deps: ModerationPorts) => presentFeeds(await deps.feeds.list(), deps.ownListings),
});

async function presentFeeds(feeds: readonly ThreatFeed[], ownListings: OwnListings) {
  const isNamed = feeds.some(({ own_addresses, own_links }) => own_addresses.length + own_links.length > 0);
  const slugs = feeds.flatMap(({ name: feed, own_links }) =>
    own_links.map(({ entry: slug, since }) => ({ feed, slug, since })),
  );
  const links = isNamed ? await ownListings.links(slugs) : [];
  const data = feeds.map(({ own_addresses, own_links: _, ...feed }) => ({
    ...feed,
    own_addresses: own_addresses.map(({ entry: address, since }) => ({ address, since })),
    own_links: links.flatMap(({ feed: name, slug, since, status, flaggedAt }) =>
      name === feed.name
        ? { slug, since: since.toISOString(), status, flagged_at: flaggedAt?.toISOString() ?? null }
        : [],
    ),
  }));
  const seconds = links.flatMap(({ since, flaggedAt }) =>
    flaggedAt === null ? [] : Math.max(0, Math.round((flaggedAt.getTime() - since.getTime()) / 1_000)),
  );
  const takedown_times = isNamed ? { listings: timesOf(seconds), reports: await ownListings.reportTimes() } : null;
  return { data, takedown_times };
}

function timesOf(seconds: readonly number[]): Times {
  const ascending = seconds.toSorted((a, b) => a - b);
  const count = ascending.length;
  return { count, median_seconds: ascending[(count - 1) >> 1] ?? null, longest_seconds: ascending.at(-1) ?? null };
}
