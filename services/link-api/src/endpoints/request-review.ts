import { CASE_MESSAGE_MAX } from '@waypost/domain';
import { requestReview } from '../use-cases/cases.ts';
import { CASE, caseBody, presentCase } from './case-bodies.ts';
import { endpoint, wrong } from './endpoint.ts';
import { text } from './fields.ts';
import { input } from './input.ts';
import { slugParam } from './link-bodies.ts';

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
  handle: async ({ caller, params, body }, deps) =>
    presentCase(await requestReview(deps, caller.accountId, params.slug, body.message), deps.baseUrl),
});
