import { LINK_STATUSES } from '@waypost/domain';
import Joi from 'joi';
import { endpoint } from '../platform/endpoint.ts';
import { list, named, object, whole } from '../platform/fields.ts';
import { READS } from '../platform/limits.ts';
import { FACET_LINKS, FACET_TAGS } from './link-store.port.ts';
import type { LinksPorts } from './ports.ts';

/** The path is not below `/links`, where it would hide a link with the slug `facets`. */
export const getFacetsEndpoint = endpoint({
  id: 'getFacets',
  method: 'GET',
  path: '/facets',
  scope: 'read',
  concurrency: READS,
  summary: 'Count links',
  description: 'Returns the number of your links for each status, and your most used tags.',
  answers: {
    200: {
      means: 'The counts.',
      schema: named('LinkFacets', 'Counts of the links of an account.', {
        total: whole.description('The number of all links.'),
        statuses: object({ active: whole, flagged: whole, revoked: whole } satisfies Record<
          (typeof LINK_STATUSES)[number],
          unknown
        >).description('The number of links with each status.'),
        tags: list(object({ tag: Joi.string(), count: whole }))
          .meta({ maxItems: FACET_TAGS })
          .description(
            `The ${FACET_TAGS} most used tags, counted in the newest ${FACET_LINKS.toLocaleString('en')} links.`,
          ),
      }),
      examples: {
        'Three links': {
          total: 7,
          statuses: { active: 5, flagged: 1, revoked: 1 },
          tags: [
            { tag: 'docs', count: 4 },
            { tag: 'autumn', count: 1 },
          ],
        },
      },
    },
  },
  handle: async ({ caller }, deps: LinksPorts) => {
    const { statuses, tags } = await deps.links.facets(caller.accountId);
    return { total: LINK_STATUSES.reduce((sum, status) => sum + statuses[status], 0), statuses, tags };
  },
});
