import Joi from 'joi';
import { list, nullable, object, oneOf, time } from '../platform/fields.ts';
import type { KeptVerdict } from './link-store.port.ts';

export const reasonList = list(object({ rule: Joi.string(), evidence: Joi.string() }));

export const verdictList = list(
  object({
    at: time,
    source: oneOf(['scan', 'take_down', 'review']).description(
      'A scan, or what an administrator decided. Accept values that you do not know.',
    ),
    outcome: Joi.string().description(
      'Of a scan `clean`, `warned` or `flagged`; of a take-down `flagged`; of a review `cleared` or `kept`.',
    ),
    threat_type: nullable(Joi.string()),
    reasons: reasonList.description('`rule` names a feed (`feed:…`) or a rule, `evidence` what it matched.'),
    generation: nullable(Joi.string()).description('Of the threat database; null for a review.'),
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
