import { LIMITS, LINK_STATUSES, rangeOf, TOP_LINKS } from '@waypost/domain';
import { endpoint, unknownParameter, wrong } from '../platform/endpoint.ts';
import { countedList, oneOf, optional, text } from '../platform/fields.ts';
import { READS } from '../platform/limits.ts';
import { pageOf, paging, presentPage } from '../platform/paging.ts';
import { CLICKS } from './limits.ts';
import { LIST_SORTS } from './link-store.port.ts';
import { LINK_EXAMPLE, linkBody, presentLink } from './links.schema.ts';
import type { LinksPorts } from './ports.ts';

export const listLinksEndpoint = endpoint({
  id: 'listLinks',
  method: 'GET',
  path: '/links',
  scope: 'read',
  concurrency: READS,
  summary: 'List links',
  description: 'Returns a page of the links of your account, newest first by default.',
  query: {
    ...paging,
    sort: oneOf([...LIST_SORTS, 'clicks'])
      .optional()
      .default('created_at')
      .description(
        `The field to sort by. Ties are sorted by slug, and text by its bytes. Links without a title or end come last. \`clicks\` returns only the ${TOP_LINKS.toLocaleString('en')} links with the most clicks in the last 30 days.`,
      ),
    order: oneOf(['asc', 'desc'])
      .optional()
      .default('desc')
      .description('The sort direction: ascending or descending.'),
    status: optional(oneOf(LINK_STATUSES)).description('Only links with this status.'),
    tag: optional(
      countedList(text, ({ length }) =>
        length > LIMITS.tagsPerLink
          ? `must be given at most ${LIMITS.tagsPerLink} times: no link has more tags`
          : undefined,
      ),
    )
      .meta({ maxItems: LIMITS.tagsPerLink })
      .description(
        `Only links with this exact tag. With several tags, only links with all of them. Maximum: ${LIMITS.tagsPerLink}.`,
      )
      .example(['docs']),
    search: optional(text)
      .description(
        `Only links whose slug, destination, title or note contains this text, in upper or lower case. A text of more than ${LIMITS.destinationUrlBytes} characters matches none.`,
      )
      .example('wiki'),
  },
  answers: pageOf('LinkPage', linkBody, presentLink(LINK_EXAMPLE), 25),
  errors: [wrong('Limit out of range', { limit: 'must be a whole number from 1 to 100' }), unknownParameter],
  cli: 'waypost list --status active --limit 25',
  handle: async ({ caller, query, signal }, deps: LinksPorts) => {
    const { tag: tags = [], sort, ...others } = query;
    const filters = { ...others, tags };
    const { links, total } = await deps.links.list(
      caller.accountId,
      sort === 'clicks'
        ? { ...filters, sort: 'slug', ranked: await mostClicked(deps, caller.accountId, signal) }
        : { ...filters, sort },
    );
    return presentPage(others, links.map(presentLink), total);
  },
});

/** Waits in the account's share of the click store, as its other requests for clicks do. */
async function mostClicked(deps: LinksPorts, accountId: string, signal: AbortSignal): Promise<readonly string[]> {
  const release = await deps.slotsOf(CLICKS).take(accountId, signal);
  try {
    const links = await deps.stats.topLinks(accountId, rangeOf('30d', deps.now()), 'include', signal);
    return links.map(({ slug }) => slug);
  } finally {
    release();
  }
}
