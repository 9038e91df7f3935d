import { endpoint } from '../platform/endpoint.ts';
import { READS } from '../platform/limits.ts';
import { getLink } from './get.ts';
import { LINK_EXAMPLE, linkBody, presentLink, slugParam } from './links.schema.ts';
import type { LinksPorts } from './ports.ts';

export const getLinkEndpoint = endpoint({
  id: 'getLink',
  method: 'GET',
  path: '/links/:slug',
  scope: 'read',
  concurrency: READS,
  summary: 'Get a link',
  description: 'Returns one of your links, whatever its status.',
  params: { slug: slugParam },
  answers: { 200: { means: 'The link.', schema: linkBody, examples: { Active: presentLink(LINK_EXAMPLE) } } },
  errors: ['link_not_found'],
  cli: 'waypost get aB3dE6g',
  handle: async ({ caller, params }, deps: LinksPorts) =>
    presentLink(await getLink(deps, caller.accountId, params.slug)),
});
