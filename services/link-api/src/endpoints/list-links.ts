import { LIMITS, LINK_STATUSES } from '@waypost/domain';
import { LIST_SORTS } from '@waypost/ports';
import Joi from 'joi';
import { endpoint, none, unknownParameter, wrong } from './endpoint.ts';
import { countedList, list, named, oneOf, optional, problem, text, whole } from './fields.ts';
import { LINK_EXAMPLE, linkBody, presentLink } from './link-bodies.ts';

const count = (max: number, range: string) =>
  Joi.string<number>().custom((value: string, helpers) => {
    const number = /^[1-9]\d{0,14}$/.test(value) ? Number(value) : Number.NaN;
    return number >= 1 && number <= max ? number : problem(helpers, `must be a whole number from ${range}`);
  });

export const listLinksEndpoint = endpoint({
  id: 'listLinks',
  method: 'GET',
  path: '/links',
  scope: 'read',
  share: 'reads',
  tag: 'Links',
  summary: 'List your links',
  description: 'The links of your account, page by page, the newest first unless you ask for another order.',
  params: none,
  query: {
    page: count(Number.MAX_SAFE_INTEGER, '1')
      .optional()
      .default(1)
      .meta({ type: 'integer', minimum: 1 })
      .description('Which page.')
      .example(1),
    limit: count(LIMITS.pageSize, `1 to ${LIMITS.pageSize}`)
      .optional()
      .default(LIMITS.defaultPageSize)
      .meta({ type: 'integer', minimum: 1, maximum: LIMITS.pageSize })
      .description('Links on a page.')
      .example(25),
    sort: oneOf(LIST_SORTS)
      .optional()
      .default('created_at')
      .description('Sorts by this field; ties by slug. Text is sorted by its bytes.'),
    order: oneOf(['asc', 'desc']).optional().default('desc').description('Ascending or descending.'),
    status: optional(oneOf(LINK_STATUSES)).description('Only links of this status.'),
    tag: optional(
      countedList(text, ({ length }) =>
        length > LIMITS.tagsPerLink ? `must be at most ${LIMITS.tagsPerLink}: no link has more` : undefined,
      ),
    )
      .meta({ maxItems: LIMITS.tagsPerLink })
      .description(
        `Only links with exactly this tag. Repeated: with all of them, at most ${LIMITS.tagsPerLink}, as no link has more.`,
      )
      .example(['docs']),
    search: optional(text)
      .description(
        `Only links with this text in their slug or destination, in capital or small letters. A text of more than ${LIMITS.destinationUrlBytes} characters is in none.`,
      )
      .example('wiki'),
  },
  body: undefined,
  answers: {
    200: {
      means: 'One page.',
      schema: named('LinkPage', 'One page of a list.', {
        data: list(linkBody).description('Empty past the last page.'),
        total: whole.description('Links that match, on all pages.'),
        page: Joi.number().integer().min(1).description('As asked.'),
        limit: Joi.number().integer().min(1).max(LIMITS.pageSize).description('As asked.'),
        total_pages: whole.description('0 when nothing matches.'),
      }),
      examples: { 'A page': { data: [presentLink(LINK_EXAMPLE)], total: 1, page: 1, limit: 25, total_pages: 1 } },
    },
  },
  errors: [wrong('Out of range', { limit: 'must be a whole number from 1 to 100' }), unknownParameter],
  sample: { path: '/api/v1/links?status=active&limit=25', cli: 'waypost list --status active --limit 25' },
  handle: async ({ caller, query }, deps) => {
    const { tag: tags = [], ...asked } = query;
    const { links, total } = await deps.links.list(caller.accountId, { ...asked, tags });
    const { page, limit } = asked;
    return { data: links.map(presentLink), total, page, limit, total_pages: Math.ceil(total / limit) };
  },
});
