import { expect, test } from '@jest/globals';
import { WEBHOOK_EVENTS } from '@waypost/domain';
import type { StoredClick } from '@waypost/ports';
import type { Case } from '../moderation/case.ts';
import { noticeOf } from '../moderation/case-notice.ts';
import { caseOpened } from '../moderation/cases.schema.ts';
import { clicksBody, type LinkChangeEvent, linkEventBody, webhookBody } from './bodies.ts';
import { webhookMessages } from './messages.schema.ts';

const at = '2026-11-21T10:15:00.000Z';
const LINK = { v: 1, slug: 'aB3dE6g', destination_url: 'https://example.com/', version: 2, scan_generation: '1', at };
const CLICK: StoredClick = {
  id: '0193a5d0-7c1e-7abc-8def-0123456789ab',
  slug: 'aB3dE6g',
  at: Date.parse(at),
  country: 'ZZ',
  device: 'desktop',
  browser: 'Unknown',
  referrer: 'direct',
  isBot: true,
};
const CASE: Case = {
  number: 'k7Qm2Rx-aB3dE6g',
  kind: 'report',
  slug: 'aB3dE6g',
  category: 'policy_violation',
  message: 'I am Ottilie.',
  accountId: null,
  state: 'open',
  reason: null,
  createdAt: new Date(at),
  decidedAt: null,
};
const changed = (type: LinkChangeEvent['type'], status: LinkChangeEvent['status']) =>
  linkEventBody({ ...LINK, type, status, threat_type: null } as LinkChangeEvent, 'https://go.example');

const SENT: Readonly<Record<string, string>> = {
  'link.created': changed('link.created', 'active'),
  'link.revoked': changed('link.revoked', 'revoked'),
  'link.flagged': changed('link.flagged', 'flagged'),
  'link.cleared': changed('link.cleared', 'active'),
  'link.clicked': clicksBody([CLICK], new Date(at)),
  'case.opened': noticeOf(CASE, { baseUrl: 'https://way.example', redirectBaseUrl: 'https://go.example' }).message.body,
  'webhook.test': webhookBody('webhook.test', at, { webhook: '4f0c8f52-2a3c-4a57-8f6e-1d2b3c4d5e6f' }),
};

test('every message that is sent is declared, and has the declared fields', () => {
  const messages = [...webhookMessages, caseOpened];
  expect(messages.map(({ type }) => type).sort()).toEqual([...WEBHOOK_EVENTS, 'webhook.test'].sort());
  for (const { type, schema, example } of messages) {
    const options = { presence: 'required', convert: false } as const;
    expect(schema.validate(JSON.parse(SENT[type]!), options).error).toBeUndefined();
    expect(schema.validate(example, options).error).toBeUndefined();
  }
});

test('what a person wrote is neither in the message about a case nor in the mail', () => {
  const { message, mail } = noticeOf(CASE, { baseUrl: 'https://way.example', redirectBaseUrl: 'https://go.example' });
  expect(JSON.stringify([message, mail])).not.toContain('Ottilie');
  expect(mail).toEqual({
    kind: 'report',
    line: 'Report (policy violation): https://go.example/aB3dE6g\n  https://way.example/admin/reports?about=aB3dE6g',
  });
});
