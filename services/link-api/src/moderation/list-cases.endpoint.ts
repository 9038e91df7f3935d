import { endpoint } from '../platform/endpoint.ts';
import { named, nullable, object, oneOf, optional, text, time, whole } from '../platform/fields.ts';
import { READS } from '../platform/limits.ts';
import { before, paging, partOf, presentPart, since } from '../platform/paging.ts';
import { CASE_KINDS, CASE_STATES, type CaseKind } from './case.ts';
import { CASE, caseBody, presentCase } from './cases.schema.ts';
import type { ModerationPorts } from './ports.ts';

const countBody = object({
  open: whole,
  oldest_at: nullable(time).description('When the oldest open case was filed. Null if no case is open.'),
});

const stateFilter = optional(oneOf(CASE_STATES)).description('Only cases in this state.');

const casePage = {
  200: {
    means: 'A page of cases.',
    schema: partOf('CasePage', 'A page of cases.', caseBody),
    examples: { Page: { data: [CASE], next: null } },
  },
};

export const listCasesEndpoint = endpoint({
  id: 'listCases',
  method: 'GET',
  path: '/admin/cases',
  scope: 'admin',
  concurrency: READS,
  summary: 'List cases',
  description:
    'Returns reports of visitors and requests for reviews, newest first. To list the links under review, use `kind=review` and `state=open`.',
  query: {
    limit: paging.limit,
    before,
    kind: optional(oneOf(CASE_KINDS)).description('Only cases of this kind.'),
    state: stateFilter,
    about: optional(text.max(100)).description('Only cases about the link with this slug.').example('k7Qm2Rx'),
  },
  answers: casePage,
  cli: 'waypost admin list-cases --state open',
  handle: async ({ query }, deps: ModerationPorts) => {
    const { limit, about, ...only } = query;
    const cases = await deps.cases.list({ ...only, limit: limit + 1, ...(about !== undefined && { slug: about }) });
    return presentPart(cases, limit, (row) => presentCase(row, deps.baseUrl));
  },
});

export const countCasesEndpoint = endpoint({
  id: 'countCases',
  method: 'GET',
  path: '/admin/cases/count',
  scope: 'admin',
  concurrency: READS,
  summary: 'Count open cases',
  description: 'Returns the number of open reports and reviews, and when the oldest of each was filed.',
  answers: {
    200: {
      means: 'The counts.',
      schema: named('CaseCount', 'The open cases of each kind.', { report: countBody, review: countBody }),
      examples: {
        'One report': {
          report: { open: 1, oldest_at: CASE.created_at },
          review: { open: 0, oldest_at: null },
        },
      },
    },
  },
  cli: 'waypost admin count-cases',
  handle: async (_, deps: ModerationPorts) => {
    const waiting = await deps.cases.waiting();
    const countOf = (kind: CaseKind) => {
      const { open = 0, oldestAt = null } = waiting.find((each) => each.kind === kind) ?? {};
      return { open, oldest_at: oldestAt?.toISOString() ?? null };
    };
    return { report: countOf('report'), review: countOf('review') };
  },
});

export const listReviewRequestsEndpoint = endpoint({
  id: 'listReviewRequests',
  method: 'GET',
  path: '/review-requests',
  scope: 'read',
  concurrency: READS,
  summary: 'List your review requests',
  description: 'Returns the reviews that your account requested, with their decisions, newest first.',
  query: {
    limit: paging.limit,
    before,
    state: stateFilter,
    decided_since: since.description('Only cases decided from this time on, in UTC.'),
  },
  answers: casePage,
  cli: 'waypost reviews list --state open',
  handle: async ({ caller, query }, deps: ModerationPorts) => {
    const { limit, decided_since: decided, ...only } = query;
    const decidedSince = decided === undefined ? {} : { decidedSince: new Date(decided) };
    const cases = await deps.cases.list({ ...only, ...decidedSince, limit: limit + 1, accountId: caller.accountId });
    return presentPart(cases, limit, (row) => presentCase(row, deps.baseUrl));
  },
});
