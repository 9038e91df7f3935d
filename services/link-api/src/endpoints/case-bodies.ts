/** What the endpoints of cases share. */
import { CASE_KINDS, CASE_STATES, type Case, REPORT_CATEGORIES } from '@waypost/domain';
import Joi from 'joi';
import { inPath, named, nullable, oneOf, time } from './fields.ts';

export const caseBody = named('Case', 'A report about a link, or a request to review its flag.', {
  number: Joi.string().description('Whoever knows it may see what became of it.'),
  kind: oneOf(CASE_KINDS),
  slug: Joi.string(),
  category: nullable(oneOf(REPORT_CATEGORIES)).description('What a visitor reports it as; null on a review.'),
  message: Joi.string().description('May have several lines, and be empty on a report.'),
  by_owner: Joi.boolean().description('Whether the owner asked through the API; else a visitor did.'),
  state: oneOf(CASE_STATES).description('`upheld`: whoever asked was right.'),
  reason: nullable(Joi.string()).description('Why it was decided so; whoever asked reads it.'),
  created_at: time,
  decided_at: nullable(time),
  url: Joi.string().description('Where whoever asked sees what became of it.'),
});

export const presentCase = (found: Case, baseUrl: string) => ({
  number: found.number,
  kind: found.kind,
  slug: found.slug,
  category: found.category,
  message: found.message,
  by_owner: found.accountId !== null,
  state: found.state,
  reason: found.reason,
  created_at: found.createdAt.toISOString(),
  decided_at: found.decidedAt?.toISOString() ?? null,
  url: `${baseUrl}/report/${found.number}`,
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
