import { LIMITS, LINK_STATUSES, rangeOf, TOP_LINKS } from '@waypost/domain';
import { endpoint, unknownParameter, wrong } from '../platform/endpoint.ts';
import { countedList, oneOf, optional, text } from '../platform/fields.ts';
import { pageOf, paging, presentPage } from '../platform/paging.ts';
import { LIST_SORTS } from './link-store.port.ts';
import { LINK_EXAMPLE, linkBody, presentLink } from './links.schema.ts';
import type { LinksPorts } from './ports.ts';

export const listLinksEndpoint = endpoint({
  id: 'listLinks',
  method: 'GET',
  path: '/links',
  scope: 'read',
  share: 'reads',
  summary: 'List your links',
  description: 'The links of your account, page by page, the newest first unless you ask for another order.',
  query: {
    ...paging,
    sort: oneOf([...LIST_SORTS, 'clicks'])
      .optional()
      .default('created_at')
      .description(
        `Sorts by this field; ties by slug. Text is sorted by its bytes. \`clicks\` lists the ${TOP_LINKS.toLocaleString('en')} links with the most clicks of the last 30 days.`,
      ),
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
  answers: pageOf('LinkPage', linkBody, presentLink(LINK_EXAMPLE), 25),
  errors: [wrong('Out of range', { limit: 'must be a whole number from 1 to 100' }), unknownParameter],
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
  const release = await deps.turns.analytics.take(accountId, signal);
  try {
    const links = await deps.stats.topLinks(accountId, rangeOf('30d', deps.now()), 'include', signal);
    return links.map(({ slug }) => slug);
  } finally {
    release();
  }
}
