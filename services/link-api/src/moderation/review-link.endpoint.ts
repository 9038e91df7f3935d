import { changeOfLink, LINK_EXAMPLE, linkBody, presentLink, slugParam } from '../links/index.ts';
import { actorOf } from '../platform/caller.ts';
import { endpoint, wrong } from '../platform/endpoint.ts';
import { oneOf, reasonField } from '../platform/fields.ts';
import { input } from '../platform/input.ts';
import type { ModerationPorts } from './ports.ts';
import { reviewLink } from './review-link.ts';

export const reviewLinkEndpoint = endpoint({
  id: 'reviewLink',
  method: 'POST',
  path: '/admin/links/:slug/review',
  scope: 'admin',
  audited: changeOfLink('link.reviewed'),
  summary: 'Decide about a flagged link',
  description: 'Ends the review of a flagged link of any account.',
  params: { slug: slugParam },
  body: input(
    {
      decision: oneOf(['clear', 'keep']).description(
        '`clear` makes the link active, and the same evidence does not flag it again; `keep` leaves it and is recorded.',
      ),
      reason: reasonField.description('Kept with the link. One line.'),
    },
    'Review',
    'The decision on a flagged link.',
  ),
  examples: { 'A wrong flag': { decision: 'clear', reason: 'The listing was an error.' } },
  answers: {
    200: { means: 'The link as it is now.', schema: linkBody, examples: { Cleared: presentLink(LINK_EXAMPLE) } },
  },
  errors: ['link_not_flagged', wrong('No reason', { reason: 'is required' }), 'link_not_found'],
  means: { 400: 'The body is wrong, or the link is not flagged.', 404: 'There is no such link.' },
  cli: 'waypost admin review --slug k7Qm2Rx --decision clear --reason "The listing was an error."',
  handle: async ({ caller, params, body }, deps: ModerationPorts) =>
    presentLink(await reviewLink(deps, params.slug, body, actorOf(caller))),
});
