import { slugParam } from '../links/index.ts';
import { endpoint, wrong } from '../platform/endpoint.ts';
import { text } from '../platform/fields.ts';
import { input } from '../platform/input.ts';
import { READS } from '../platform/limits.ts';
import { CASE_MESSAGE_MAX } from './case.ts';
import { CASE, caseBody, presentCase } from './cases.schema.ts';
import { fileCase } from './file-case.ts';
import type { ModerationPorts } from './ports.ts';

export const requestReviewEndpoint = endpoint({
  id: 'requestReview',
  method: 'POST',
  path: '/links/:slug/review-request',
  scope: 'write',
  concurrency: READS,
  summary: 'Request a review',
  description:
    'Asks an administrator to review a flagged link. If a request is already open, the response is that request.',
  params: { slug: slugParam },
  body: input(
    { message: text.max(CASE_MESSAGE_MAX).description('Why the flag is wrong, in one line.') },
    'ReviewRequest',
    'The request for a review.',
  ),
  examples: { 'Own shop': { message: CASE.message } },
  answers: { 200: { means: 'The open request.', schema: caseBody, examples: { Open: CASE } } },
  errors: ['link_not_flagged', wrong('Missing message', { message: 'is required' }), 'link_not_found'],
  means: { 400: 'The request body is invalid, or the link is not flagged.' },
  cli: 'waypost reviews request k7Qm2Rx --message "This is our own shop."',
  handle: async ({ caller: { accountId }, params: { slug }, body: { message } }, deps: ModerationPorts) =>
    presentCase(await fileCase(deps, { slug, category: null, message, accountId }), deps.baseUrl),
});
