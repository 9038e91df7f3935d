import { slugParam } from '../links/index.ts';
import { endpoint, wrong } from '../platform/endpoint.ts';
import { text } from '../platform/fields.ts';
import { input } from '../platform/input.ts';
import { CASE_MESSAGE_MAX } from './case.ts';
import { CASE, caseBody, presentCase } from './cases.schema.ts';
import { requestReview } from './cases.ts';
import type { ModerationPorts } from './ports.ts';

export const requestReviewEndpoint = endpoint({
  id: 'requestReview',
  method: 'POST',
  path: '/links/:slug/review-request',
  scope: 'write',
  share: 'reads',
  summary: 'Ask for a review of a flagged link',
  description: 'An administrator looks at it. While a request is open, a second one is answered with the first.',
  params: { slug: slugParam },
  body: input(
    { message: text.max(CASE_MESSAGE_MAX).description('Why the flag is wrong. One line.') },
    'ReviewRequest',
    'Why a flag is wrong.',
  ),
  examples: { 'Our shop': { message: CASE.message } },
  answers: { 200: { means: 'The open request.', schema: caseBody, examples: { Open: CASE } } },
  errors: ['link_not_flagged', wrong('No message', { message: 'is required' }), 'link_not_found'],
  means: { 400: 'The body is wrong, or the link is not flagged.' },
  cli: 'waypost reviews request k7Qm2Rx --message "This is our own shop."',
  handle: async ({ caller, params, body }, deps: ModerationPorts) =>
    presentCase(await requestReview(deps, caller.accountId, params.slug, body.message), deps.baseUrl),
});
