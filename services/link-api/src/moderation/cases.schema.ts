import Joi from 'joi';
import type { Message } from '../platform/endpoint.ts';
import { inPath, named, nullable, object, oneOf, time } from '../platform/fields.ts';
import { CASE_KINDS, CASE_STATES, type Case, REPORT_CATEGORIES } from './case.ts';

export const caseBody = named('Case', 'A case: a report about a link, or a request to review its flag.', {
  number: Joi.string().description('The number of the case. Anybody who has it can see the state of the case.'),
  kind: oneOf(CASE_KINDS),
  slug: Joi.string(),
  category: nullable(oneOf(REPORT_CATEGORIES)).description('The category that the visitor chose. Null for a review.'),
  message: Joi.string().description(
    'The message of the person. It may have several lines, and may be empty for a report.',
  ),
  by_owner: Joi.boolean().description('Whether the owner of the link filed the case. Otherwise a visitor did.'),
  state: oneOf(CASE_STATES).description(
    'The state. `upheld`: an administrator agreed with the person who filed the case. `dismissed`: an administrator did not.',
  ),
  reason: nullable(Joi.string()).description('The reason of the decision, for the person who filed the case.'),
  created_at: time,
  decided_at: nullable(time),
  url: Joi.string().description('The URL of a page with the state of the case, for the person who filed it.'),
});

export const presentCase = (row: Case, baseUrl: string) => ({
  number: row.number,
  kind: row.kind,
  slug: row.slug,
  category: row.category,
  message: row.message,
  by_owner: row.accountId !== null,
  state: row.state,
  reason: row.reason,
  created_at: row.createdAt.toISOString(),
  decided_at: row.decidedAt?.toISOString() ?? null,
  url: `${baseUrl}/report/${row.number}`,
});

const NUMBER = 'k7Qm2Rx-aB3dE6g';
export const CASE = {
  number: NUMBER,
  kind: 'review' as const,
  slug: 'k7Qm2Rx',
  category: null,
  message: 'This is the page of our own shop.',
  by_owner: true,
  state: 'open' as const,
  reason: null,
  created_at: '2026-11-21T10:15:00.000Z',
  decided_at: null,
  url: `{base_url}/report/${NUMBER}`,
};

export const caseParam = inPath(100, 'The number of the case.', NUMBER);

const FILED = 'A visitor reported a link, or somebody requested a review of a flag.';

/** Leaves out what the person wrote: the log of a webhook is not erased with an account. */
export const caseOpened: Message = {
  type: 'case.opened',
  means: `${FILED} Only webhooks with the scope \`installation\` receive this event.`,
  schema: named('CaseMessage', FILED, {
    type: oneOf(['case.opened']),
    timestamp: time.description('When the case was filed (UTC).'),
    data: object({
      number: Joi.string().description('The number of the case. Anybody who has it can see the state of the case.'),
      kind: oneOf(CASE_KINDS),
      slug: Joi.string(),
      short_url: Joi.string().meta({ format: 'uri' }),
      category: nullable(oneOf(REPORT_CATEGORIES)).description(
        'The category that the visitor chose. Null for a review.',
      ),
      by_owner: Joi.boolean().description('Whether the owner of the link filed the case. Otherwise a visitor did.'),
      url: Joi.string()
        .meta({ format: 'uri' })
        .description('The URL of the page where an administrator decides the case.'),
    }),
  }),
  example: {
    type: 'case.opened',
    timestamp: CASE.created_at,
    data: {
      number: NUMBER,
      kind: 'report',
      slug: CASE.slug,
      short_url: `{redirect_base_url}/${CASE.slug}`,
      category: 'phishing',
      by_owner: false,
      url: `{base_url}/admin/reports?about=${CASE.slug}`,
    },
  },
};
