import Joi from 'joi';
import { list, nullable, object, oneOf, time } from '../platform/fields.ts';
import type { KeptVerdict } from './link-store.port.ts';

export const reasonList = list(object({ rule: Joi.string(), evidence: Joi.string() }));

export const verdictList = list(
  object({
    at: time,
    source: oneOf(['scan', 'take_down', 'review']).description(
      'The kind of entry: a scan, or a decision of an administrator. New values may be added: accept unknown ones.',
    ),
    outcome: Joi.string().description(
      'The outcome. Of a scan: `clean`, `warned` or `flagged`. Of a take-down: `flagged`. Of a review: `cleared` or `kept`.',
    ),
    threat_type: nullable(Joi.string()),
    reasons: reasonList.description(
      'The reasons. `rule` names a threat feed (`feed:…`) or a rule, and `evidence` is what it matched.',
    ),
    generation: nullable(Joi.string()).description('The generation of the threat database. Null for a review.'),
  }),
);

export const VERDICT = {
  at: '2026-11-21T09:30:00.000Z',
  source: 'scan' as const,
  outcome: 'flagged' as const,
  threat_type: 'phishing' as const,
  reasons: [{ rule: 'feed:phishing', evidence: 'account-check.example.net/' }],
  generation: '12-3f9a1c',
};

export const presentReasons = (reasons: KeptVerdict['reasons']) =>
  reasons.map(({ rule, evidence }) => ({ rule, evidence }));

export const presentVerdict = ({ at, source, outcome, threat_type, reasons, generation }: KeptVerdict) => ({
  at: at.toISOString(),
  source,
  outcome,
  threat_type,
  reasons: presentReasons(reasons),
  generation,
});
