import type { Link } from '@waypost/domain';
import Joi from 'joi';
import { endpoint } from '../platform/endpoint.ts';
import { named, nullable, oneOf, time } from '../platform/fields.ts';
import { getLink } from './get.ts';
import type { KeptVerdict } from './link-store.port.ts';
import { slugParam } from './links.schema.ts';
import type { LinksPorts } from './ports.ts';
import { presentReasons, presentVerdict, reasonList, VERDICT, verdictList } from './verdicts.schema.ts';

export const getScanEndpoint = endpoint({
  id: 'getScan',
  method: 'GET',
  path: '/links/:slug/scan',
  scope: 'read',
  share: 'reads',
  summary: 'Read the scan of a link',
  description: 'What is known about the destination, why, and what was found and decided before.',
  params: { slug: slugParam },
  answers: {
    200: {
      means: 'The scan.',
      schema: named('LinkScan', 'What is known about the destination of a link.', {
        scanned_at: time.description(
          'When the destination was scanned at creation, or by the last scan that changed any of this: one that finds nothing new leaves it.',
        ),
        generation: Joi.string().description('Of the threat database, in that scan.'),
        outcome: oneOf(['clean', 'warned', 'flagged']).description(
          '`clean`: no threat was found, which is no promise. `warned`: something is noted, and the link works.',
        ),
        threat_type: nullable(Joi.string()).description('What it is suspected of; null if it is clean.'),
        reasons: reasonList.description('Why, if it is not clean: a feed or a rule, and what it matched.'),
        history: verdictList.description(
          'What scans found and administrators decided, the newest first, at most ten. A clean scan is in it only where it changed something.',
        ),
      }),
      examples: {
        Flagged: {
          scanned_at: VERDICT.at,
          generation: VERDICT.generation,
          outcome: 'flagged',
          threat_type: VERDICT.threat_type,
          reasons: VERDICT.reasons,
          history: [VERDICT],
        },
      },
    },
  },
  errors: ['link_not_found'],
  cli: 'waypost scan k7Qm2Rx',
  handle: async ({ caller, params: { slug } }, deps: LinksPorts) => {
    const link = await getLink(deps, caller.accountId, slug);
    return presentScan(link, await deps.links.verdicts(slug));
  },
});

function presentScan(link: Link, history: readonly KeptVerdict[]) {
  const last = history.find((verdict) => verdict.outcome !== 'kept');
  const warningType = last?.outcome === 'warned' ? last.threat_type : null;
  const outcome = link.status === 'flagged' ? 'flagged' : last?.outcome === 'warned' ? 'warned' : 'clean';
  return {
    scanned_at: link.scannedAt.toISOString(),
    generation: link.scanGeneration,
    outcome,
    threat_type: link.threatType ?? warningType,
    reasons: last?.outcome === outcome ? presentReasons(last.reasons) : [],
    history: history.map(presentVerdict),
  } as const;
}
