import { THREAT_TYPES } from '@waypost/domain';
import { actorOf } from '../platform/caller.ts';
import { endpoint, wrong } from '../platform/endpoint.ts';
import { nullable, oneOf, optional, reasonField } from '../platform/fields.ts';
import { input } from '../platform/input.ts';
import { CASE, caseBody, caseParam, presentCase } from './cases.schema.ts';
import { decideCase } from './decide-case.ts';
import type { ModerationPorts } from './ports.ts';

const REASON = 'The listing was an error.';

export const decideCaseEndpoint = endpoint({
  id: 'decideCase',
  method: 'POST',
  path: '/admin/cases/:number/decision',
  scope: 'admin',
  audited: { action: 'case.decided', refused: ({ params }) => ({ subject: params.number }) },
  summary: 'Decide a case',
  description:
    'Decides a report or a request for a review. An upheld report takes the link down, and an upheld review clears the flag. A dismissed report changes nothing, and a dismissed review keeps the flag. A revoked link does not change.',
  params: { number: caseParam },
  body: input(
    {
      decision: oneOf(['upheld', 'dismissed']).description(
        'The decision. `upheld`: you agree with the person who filed the case. `dismissed`: you do not.',
      ),
      reason: reasonField.description(
        'The reason, in one line. The person who filed the case can read it, and so can the owner of a link that is taken down.',
      ),
      threat_type: optional(nullable(oneOf(THREAT_TYPES))).description(
        'The threat type of a link that is taken down. Default: the category of the report.',
      ),
    },
    'CaseDecision',
    'The decision on the case.',
  ),
  examples: { 'Wrong flag': { decision: 'upheld', reason: REASON } },
  answers: {
    200: {
      means: 'The decided case.',
      schema: caseBody,
      examples: {
        Upheld: { ...CASE, state: 'upheld', reason: REASON, decided_at: '2026-11-21T11:00:00.000Z' },
      },
    },
  },
  errors: ['case_decided', wrong('Missing reason', { reason: 'is required' }), 'case_not_found'],
  means: { 400: 'The request body is invalid, or the case is already decided.', 404: 'The case was not found.' },
  cli: `waypost admin decide-case --number ${CASE.number} --decision upheld --reason "It is a scam."`,
  handle: async ({ caller, params, body }, deps: ModerationPorts) => {
    const decision = { state: body.decision, reason: body.reason, threatType: body.threat_type ?? undefined };
    return presentCase(await decideCase(deps, params.number, decision, actorOf(caller)), deps.baseUrl);
  },
});
