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
    'Permanently disables a link. It takes effect before the response is sent, cannot be undone, and does not free the slug. The request needs no body. If the response is lost, get the link: revoking it a second time returns 400.',
  params: { slug: slugParam },
  answers: {
    200: {
      means: 'The revoked link.',
      schema: linkBody,
      examples: { Revoked: presentLink(revoked(LINK_EXAMPLE, new Date('2026-11-21T10:15:00.000Z')).link) },
    },
  },
  errors: ['link_already_revoked', 'link_flagged', unknownParameter, 'link_not_found'],
  means: { 400: 'The link is already revoked, or it is flagged. Only the system controls flagged links.' },
  cli: 'waypost revoke aB3dE6g',
  handle: async ({ caller, params }, deps: LinksPorts) =>
    presentLink(await revokeLink(deps, caller.accountId, params.slug)),
});
