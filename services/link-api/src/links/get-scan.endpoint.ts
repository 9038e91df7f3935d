import type { Link } from '@waypost/domain';
import Joi from 'joi';
import { endpoint } from '../platform/endpoint.ts';
import { named, nullable, oneOf, time } from '../platform/fields.ts';
import { READS } from '../platform/limits.ts';
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
  concurrency: READS,
  summary: 'Get the scan of a link',
  description: 'Returns the verdict on the destination of a link, with its reasons and history.',
  params: { slug: slugParam },
  answers: {
    200: {
      means: 'The scan.',
      schema: named('LinkScan', 'The verdict on the destination of a link.', {
        scanned_at: time.description('When the destination was last scanned with a new result: at creation, or later.'),
        generation: Joi.string().description('The generation of the threat database that the scan used.'),
        outcome: oneOf(['clean', 'warned', 'flagged']).description(
          'The outcome of the scan. `clean`: no threat was found, which is no guarantee. `warned`: the scan noted something, but the link redirects. `flagged`: the link does not redirect.',
        ),
        threat_type: nullable(Joi.string()).description('The suspected threat. Null if the outcome is `clean`.'),
        reasons: reasonList.description(
          'The reasons of an outcome other than `clean`: each names a threat feed or a rule, and what it matched.',
        ),
        history: verdictList.description(
          'Earlier scans and decisions of administrators, newest first. Maximum: 10. A scan without a change is not included.',
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
