import { revoked } from '@waypost/domain';
import { endpoint, unknownParameter } from '../platform/endpoint.ts';
import { LINK_EXAMPLE, linkBody, presentLink, slugParam } from './links.schema.ts';
import type { LinksPorts } from './ports.ts';
import { revokeLink } from './revoke.ts';

export const revokeLinkEndpoint = endpoint({
  id: 'revokeLink',
  method: 'POST',
  path: '/links/:slug/revoke',
  scope: 'write',
  summary: 'Revoke a link',
  description:
    'Switches a link off for good: when this is answered, nobody is sent to its destination any more. It cannot be undone, and the slug is never free again. No body is needed; one is ignored. After a lost answer, read the link: revoking it a second time is 400.',
  params: { slug: slugParam },
  answers: {
    200: {
      means: 'The link, revoked.',
      schema: linkBody,
      examples: { Revoked: presentLink(revoked(LINK_EXAMPLE, new Date('2026-11-21T10:15:00.000Z')).link) },
    },
  },
  errors: ['link_already_revoked', 'link_flagged', unknownParameter, 'link_not_found'],
  means: { 400: 'The link is revoked already, or flagged: flagged links are not their owner’s to revoke.' },
  cli: 'waypost revoke aB3dE6g',
  handle: async ({ caller, params }, deps: LinksPorts) =>
    presentLink(await revokeLink(deps, caller.accountId, params.slug)),
});
