import { LINK_STATUSES } from '@waypost/domain';
import Joi from 'joi';
import { endpoint } from '../platform/endpoint.ts';
import { list, named, object, whole } from '../platform/fields.ts';
import { FACET_LINKS, FACET_TAGS } from './link-store.port.ts';
import type { LinksPorts } from './ports.ts';

/** The path is not below `/links`, where it would hide a link with the slug `facets`. */
export const getFacetsEndpoint = endpoint({
  id: 'getFacets',
  method: 'GET',
  path: '/facets',
  scope: 'read',
  share: 'reads',
  summary: 'Count your links',
  description:
    'How many links of your account have which status, and which tags are in use: what a list can be filtered by.',
  answers: {
    200: {
      means: 'The counts.',
      schema: named('LinkFacets', 'What the links of an account can be filtered by.', {
        total: whole.description('All links.'),
        statuses: object({ active: whole, flagged: whole, revoked: whole } satisfies Record<
          (typeof LINK_STATUSES)[number],
          unknown
        >).description('How many have each status.'),
        tags: list(object({ tag: Joi.string(), count: whole }))
          .meta({ maxItems: FACET_TAGS })
          .description(
            `The most used first, at most ${FACET_TAGS}, counted in the newest ${FACET_LINKS.toLocaleString('en')} links.`,
          ),
      }),
      examples: {
        'Some links': {
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
