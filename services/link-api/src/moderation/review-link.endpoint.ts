import { changeOfLink, LINK_EXAMPLE, linkBody, presentLink, slugParam } from '../links/index.ts';
import { actorOf } from '../platform/caller.ts';
import { endpoint, wrong } from '../platform/endpoint.ts';
import { oneOf, reasonField } from '../platform/fields.ts';
import { input } from '../platform/input.ts';
import { reviewAsRequested } from './decide-case.ts';
import type { ModerationPorts } from './ports.ts';

export const reviewLinkEndpoint = endpoint({
  id: 'reviewLink',
  method: 'POST',
  path: '/admin/links/:slug/review',
  scope: 'admin',
  audited: changeOfLink('link.reviewed'),
  summary: 'Review a flagged link',
  description: 'Clears or keeps the flag of a link of any account. Decides the open requests to review it, too.',
  params: { slug: slugParam },
  body: input(
    {
      decision: oneOf(['clear', 'keep']).description(
        'The decision. `clear`: the link becomes active, and the same evidence does not flag it again. `keep`: the link stays flagged.',
      ),
      reason: reasonField.description('The reason, in one line. The people who requested a review can read it.'),
    },
    'Review',
    'The decision on the flagged link.',
  ),
  examples: { 'Wrong flag': { decision: 'clear', reason: 'The listing was an error.' } },
  answers: {
    200: { means: 'The reviewed link.', schema: linkBody, examples: { Cleared: presentLink(LINK_EXAMPLE) } },
  },
  errors: ['link_not_flagged', wrong('Missing reason', { reason: 'is required' }), 'link_not_found'],
  means: { 400: 'The request body is invalid, or the link is not flagged.', 404: 'The link was not found.' },
  cli: 'waypost admin review --slug k7Qm2Rx --decision clear --reason "The listing was an error."',
  handle: async ({ caller, params, body }, deps: ModerationPorts) =>
    presentLink(await reviewAsRequested(deps, params.slug, body, actorOf(caller))),
});
