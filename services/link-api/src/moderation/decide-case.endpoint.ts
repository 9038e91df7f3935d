import { THREAT_TYPES } from '@waypost/domain';
import { actorOf } from '../platform/caller.ts';
import { endpoint, wrong } from '../platform/endpoint.ts';
import { nullable, oneOf, optional, reasonField } from '../platform/fields.ts';
import { input } from '../platform/input.ts';
import { CASE, caseBody, caseParam, presentCase } from './cases.schema.ts';
import { decideCase } from './cases.ts';
import type { ModerationPorts } from './ports.ts';

const REASON = 'The listing was an error.';

export const decideCaseEndpoint = endpoint({
  id: 'decideCase',
  method: 'POST',
  path: '/admin/cases/:number/decision',
  scope: 'admin',
  audited: { action: 'case.decided', refused: ({ params }) => ({ subject: params.number }) },
  summary: 'Decide a report or a review',
  description:
    'A report that is upheld takes the link down, a review that is upheld clears it; a report that is dismissed changes nothing, a review that is dismissed keeps the flag. A link that is revoked stays as it is.',
  params: { number: caseParam },
  body: input(
    {
      decision: oneOf(['upheld', 'dismissed']).description('`upheld`: the report or the request is right.'),
      reason: reasonField.description(
        'For the person who filed the case, and the owner of a link that is taken down. One line.',
      ),
      threat_type: optional(nullable(oneOf(THREAT_TYPES))).description(
        'Of a link that is taken down; what it was reported as unless it is given.',
      ),
    },
    'CaseDecision',
    'The decision on a case.',
  ),
  examples: { 'A wrong flag': { decision: 'upheld', reason: REASON } },
  answers: {
    200: {
      means: 'The case as it is now.',
      schema: caseBody,
      examples: {
        Upheld: { ...CASE, state: 'upheld', reason: REASON, decided_at: '2026-11-21T11:00:00.000Z' },
      },
    },
  },
  errors: ['case_decided', wrong('No reason', { reason: 'is required' }), 'case_not_found'],
  means: { 400: 'The body is wrong, or the case is decided.', 404: 'There is no such case.' },
  cli: `waypost admin decide-case --number ${CASE.number} --decision upheld --reason "It is a scam."`,
  handle: async ({ caller, params, body }, deps: ModerationPorts) => {
    const decision = { state: body.decision, reason: body.reason, threatType: body.threat_type ?? undefined };
    return presentCase(await decideCase(deps, params.number, decision, actorOf(caller)), deps.baseUrl);
  },
});
