import { ACTOR_VIA, AUDIT_ACTIONS } from '@waypost/domain';
import Joi from 'joi';
import { endpoint } from '../platform/endpoint.ts';
import { named, nullable, oneOf, optional, text, time } from '../platform/fields.ts';
import { READS } from '../platform/limits.ts';
import { before, paging, partOf, presentPart, since } from '../platform/paging.ts';
import type { AuditPorts } from './ports.ts';

const ENTRY = {
  id: '4711',
  at: '2026-11-21T10:15:00.000Z',
  actor: 'grace@example.org',
  via: 'session' as const,
  credential: '9f86d081884c',
  action: 'account.suspended' as const,
  subject: 'ada@example.org',
  account: 'ada@example.org',
  outcome: 'done' as const,
  detail: 'Its links lead to a scam.',
};

export const listAuditEndpoint = endpoint({
  id: 'listAudit',
  method: 'GET',
  path: '/admin/audit',
  scope: 'admin',
  concurrency: READS,
  summary: 'List the audit log',
  description:
    'Returns the audit log, newest first. It records the actions of administrators and operators, including reads of links and keys of other accounts. It also records every sign-in, and every change to accounts, API keys and webhooks.',
  query: {
    limit: paging.limit,
    before,
    since: since.description('Only entries from this time on, in UTC.'),
    actor: optional(text.max(254)).description(
      'Only entries by this account, given by its e-mail address, or by `operator`.',
    ),
    action: optional(oneOf(AUDIT_ACTIONS)).description('Only entries with this action.'),
    subject: optional(text.max(254)).description(
      'Only entries about this link (by slug), this API key (by ID), or this account with its keys and links (by e-mail address).',
    ),
  },
  answers: {
    200: {
      means: 'A page of the audit log.',
      schema: partOf(
        'AuditPage',
        'A page of the audit log.',
        named('AuditEntry', 'An entry of the audit log.', {
          id: Joi.string(),
          at: time,
          actor: Joi.string().description('Who acted: an e-mail address, the ID of a deleted account, or `operator`.'),
          via: oneOf(ACTOR_VIA),
          credential: nullable(Joi.string()).description('The ID of the API key or session that was used.'),
          action: oneOf(AUDIT_ACTIONS).description('The action. New values may be added: accept unknown ones.'),
          subject: Joi.string().description(
            'What the action was about: an e-mail address, the ID of an API key, a slug, or the name of a threat feed. Empty if the account does not exist, or if the action concerns the whole installation.',
          ),
          account: nullable(Joi.string()).description('The account that the subject is, or that it belongs to.'),
          outcome: oneOf(['done', 'refused']),
          detail: Joi.string().description('Details or the reason. May be empty.'),
        }),
      ),
      examples: { Page: { data: [ENTRY], next: null } },
    },
  },
  cli: 'waypost admin audit --limit 25',
  handle: async ({ query }, deps: AuditPorts) => {
    const { limit, since, ...only } = query;
    const entries = await deps.audit.list({ ...only, limit: limit + 1, ...(since && { since: new Date(since) }) });
    return presentPart(entries, limit, ({ at, ...entry }) => ({ ...entry, at: at.toISOString() }));
  },
});
