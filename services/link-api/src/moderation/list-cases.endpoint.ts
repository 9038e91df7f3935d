import { endpoint } from '../platform/endpoint.ts';
import { oneOf, optional, text } from '../platform/fields.ts';
import { before, paging, partOf, presentPart } from '../platform/paging.ts';
import { CASE_KINDS, CASE_STATES } from './case.ts';
import { CASE, caseBody, presentCase } from './cases.schema.ts';

const stateFilter = optional(oneOf(CASE_STATES)).description('Only cases in this state.');

const casePage = {
  200: {
    means: 'A page of them.',
    schema: partOf('CasePage', 'A page of cases.', caseBody),
    examples: { 'A page': { data: [CASE], next: null } },
  },
};

export const listCasesEndpoint = endpoint({
  id: 'listCases',
  method: 'GET',
  path: '/admin/cases',
  scope: 'admin',
  share: 'reads',
  summary: 'List reports and reviews',
  description:
    'What visitors reported, and reviews that owners and visitors asked for; the newest first. Links under review: `kind=review` and `state=open`.',
  query: {
    limit: paging.limit,
    before,
    kind: optional(oneOf(CASE_KINDS)).description('Only such cases.'),
    state: stateFilter,
    about: optional(text.max(100)).description('Only cases about the link with this slug.').example('k7Qm2Rx'),
  },
  answers: casePage,
  cli: 'waypost admin list-cases --state open',
  handle: async ({ query }, deps) => {
    const { limit, about, ...only } = query;
    const cases = await deps.cases.list({ ...only, limit: limit + 1, ...(about !== undefined && { slug: about }) });
    return presentPart(cases, limit, (row) => presentCase(row, deps.baseUrl));
  },
});

export const listReviewRequestsEndpoint = endpoint({
  id: 'listReviewRequests',
  method: 'GET',
  path: '/review-requests',
  scope: 'read',
  share: 'reads',
  summary: 'List your review requests',
  description: 'The reviews of flagged links that your account asked for, and what was decided; the newest first.',
  query: { limit: paging.limit, before, state: stateFilter },
  answers: casePage,
  cli: 'waypost reviews list --state open',
  handle: async ({ caller, query }, deps) => {
    const { limit } = query;
    const cases = await deps.cases.list({ ...query, limit: limit + 1, accountId: caller.accountId });
    return presentPart(cases, limit, (row) => presentCase(row, deps.baseUrl));
  },
});
