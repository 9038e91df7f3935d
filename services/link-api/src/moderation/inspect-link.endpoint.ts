import Joi from 'joi';
import {
  FLAGGED_EXAMPLE,
  findLink,
  linkBody,
  presentLink,
  presentVerdict,
  slugParam,
  VERDICT,
  verdictList,
} from '../links/index.ts';
import { actorOf } from '../platform/caller.ts';
import { endpoint } from '../platform/endpoint.ts';
import { named } from '../platform/fields.ts';
import { READS } from '../platform/limits.ts';
import type { ModerationPorts } from './ports.ts';

export const inspectLinkEndpoint = endpoint({
  id: 'inspectLink',
  method: 'GET',
  path: '/admin/links/:slug',
  scope: 'admin',
  concurrency: READS,
  summary: 'Get a link of any account',
  description:
    'Returns a link of any account, with its owner and the history of its verdicts. The audit log records this request.',
  params: { slug: slugParam },
  answers: {
    200: {
      means: 'The link.',
      schema: named('InspectedLink', 'A link, as administrators see it.', {
        link: linkBody,
        owner: Joi.string().description('The e-mail address of the owner.'),
        verdicts: verdictList.description(
          'Earlier scans and decisions of administrators, newest first. Maximum: 10. Empty for a clean link.',
        ),
      }),
      examples: {
        Flagged: { link: presentLink(FLAGGED_EXAMPLE), owner: 'ada@example.org', verdicts: [VERDICT] },
      },
    },
  },
  errors: ['link_not_found'],
  means: { 404: 'The link was not found.' },
  cli: 'waypost admin inspect-link --slug k7Qm2Rx',
  handle: async ({ caller, params: { slug } }, deps: ModerationPorts) => {
    const link = await findLink(deps, slug);
    const { ownerId: accountId } = link;
    if (accountId !== caller.accountId)
      await deps.audit.read({ by: actorOf(caller), action: 'link.read', subject: slug, accountId });
    const [owner, verdicts] = await Promise.all([deps.accounts.find(accountId), deps.links.verdicts(slug)]);
    return { link: presentLink(link), owner: owner?.email ?? '', verdicts: verdicts.map(presentVerdict) };
  },
});
