import { isSlug, linkNotFound } from '@waypost/domain';
import Joi from 'joi';
import { time } from './account-bodies.ts';
import { endpoint, none, unknownParameter } from './endpoint.ts';
import { list, named, nullable, object } from './fields.ts';
import { FLAGGED_EXAMPLE, linkBody, presentLink, slugParam } from './link-bodies.ts';

export const inspectLinkEndpoint = endpoint({
  id: 'inspectLink',
  method: 'GET',
  path: '/admin/links/:slug',
  scope: 'admin',
  share: 'reads',
  tag: 'Administration',
  summary: 'Read any link',
  description: 'A link of any account, with its owner and why it is what it is.',
  params: { slug: slugParam },
  query: none,
  body: undefined,
  answers: {
    200: {
      means: 'The link.',
      schema: named('InspectedLink', 'A link, as administrators see it.', {
        link: linkBody,
        owner: Joi.string().description('The e-mail address of its account.'),
        verdicts: list(
          object({
            at: time,
            outcome: Joi.string(),
            threat_type: nullable(Joi.string()),
            reasons: list(object({ rule: Joi.string(), evidence: Joi.string() })),
          }),
        ).description(
          'What scans found and administrators decided, the newest first, at most ten. None for a clean link.',
        ),
      }),
      examples: {
        Flagged: {
          link: presentLink(FLAGGED_EXAMPLE),
          owner: 'ada@example.org',
          verdicts: [
            {
              at: '2026-11-21T09:30:00.000Z',
              outcome: 'flagged',
              threat_type: 'phishing',
              reasons: [{ rule: 'feed:phishing', evidence: 'account-check.example.net/' }],
            },
          ],
        },
      },
    },
  },
  errors: [unknownParameter, 'link_not_found'],
  means: { 404: 'There is no such link.' },
  sample: { path: '/api/v1/admin/links/k7Qm2Rx' },
  handle: async ({ params: { slug } }, deps) => {
    const link = isSlug(slug) ? await deps.links.find(slug) : undefined;
    if (link === undefined) throw linkNotFound(slug);
    const [owner, verdicts] = await Promise.all([
      deps.accounts.credentials({ id: link.ownerId }),
      deps.links.verdicts(slug),
    ]);
    return {
      link: presentLink(link),
      owner: owner?.email ?? '',
      verdicts: verdicts.map(({ at, outcome, threat_type, reasons }) => ({
        at: at.toISOString(),
        outcome,
        threat_type,
        reasons: reasons.map(({ rule, evidence }) => ({ rule, evidence })),
      })),
    };
  },
});
