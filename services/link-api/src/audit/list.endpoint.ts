import { ACTOR_VIA, AUDIT_ACTIONS } from '@waypost/domain';
import Joi from 'joi';
import { endpoint } from '../platform/endpoint.ts';
import { named, nullable, oneOf, optional, text, time } from '../platform/fields.ts';
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
  share: 'reads',
  summary: 'Read the audit log',
  description:
    'What administrators and operators did, which links and keys of others they read, every sign-in, and every change to accounts, keys and webhooks; the newest first. `next` leads to the older entries.',
  query: {
    limit: paging.limit,
    before,
    since: since.description('Only entries from then on, in UTC.'),
    actor: optional(text.max(254)).description('Only by this account, by its e-mail address, or by `operator`.'),
    action: optional(oneOf(AUDIT_ACTIONS)).description('Only such changes.'),
    subject: optional(text.max(254)).description(
      'Only about this link (its slug) or key (its id), or, with an e-mail address, about this account, its keys and links.',
    ),
  },
  answers: {
    200: {
      means: 'A page of it.',
      schema: partOf(
        'AuditPage',
        'A page of the audit log.',
        named('AuditEntry', 'What somebody did.', {
          id: Joi.string(),
          at: time,
          actor: Joi.string().description(
            'An e-mail address, or the id of an account that is gone; `operator`: by command.',
          ),
          via: oneOf(ACTOR_VIA),
          credential: nullable(Joi.string()).description('The ID of the key, or what tells the session from others.'),
          action: oneOf(AUDIT_ACTIONS).description('Accept values that you do not know.'),
          subject: Joi.string().description(
            'An e-mail address, the id of a key, a slug, or the name of a feed; empty for an account that is not there, and for what concerns everybody.',
          ),
          account: nullable(Joi.string()).description('The account that the subject is, or belongs to.'),
          outcome: oneOf(['done', 'refused']),
          detail: Joi.string().description('What exactly, or why; may be empty.'),
        }),
      ),
      examples: { 'A page': { data: [ENTRY], next: null } },
    },
  },
  cli: 'waypost admin audit --limit 25',
  handle: async ({ query }, deps: AuditPorts) => {
    const { limit, since, ...only } = query;
    const entries = await deps.audit.list({ ...only, limit: limit + 1, ...(since && { since: new Date(since) }) });
    return presentPart(entries, limit, ({ at, ...entry }) => ({ ...entry, at: at.toISOString() }));
  },
});
