import Joi from 'joi';
import { endpoint } from '../platform/endpoint.ts';
import { list, named, nullable, time, whole } from '../platform/fields.ts';

export const listFeedsEndpoint = endpoint({
  id: 'listFeeds',
  method: 'GET',
  path: '/admin/feeds',
  scope: 'admin',
  summary: 'List the threat feeds',
  description: 'What the scanner knows of threats, how old it is, and what went wrong with the last update.',
  answers: {
    200: {
      means: 'The feeds.',
      schema: named('ThreatFeedList', 'The threat feeds that decide verdicts.', {
        data: list(
          named('ThreatFeed', 'A list of threats.', {
            name: Joi.string(),
            entries: whole,
            updated_at: nullable(time).description('Null if it never came. Of a shipped feed, the date of the data.'),
            age_seconds: nullable(Joi.number().integer()).description('Since then; null if it never came.'),
            stale: Joi.boolean().description('No update came for two periods.'),
            last_error: nullable(Joi.string()).description('Of the last attempt to update it; null if that worked.'),
          }),
        ).description('By name.'),
      }),
      examples: {
        'One feed': {
          data: [
            {
              name: 'urlhaus',
              entries: 21_000,
              updated_at: '2026-11-21T09:30:00.000Z',
              age_seconds: 540,
              stale: false,
              last_error: null,
            },
          ],
        },
      },
    },
  },
  errors: ['unavailable'],
  cli: 'waypost admin feeds',
  handle: async (_call, deps) => ({ data: await deps.feeds.list() }),
});
