/** Declares what webhooks are sent. `/openapi.json` shows it, and the types of the SDK come from it. */
import Joi from 'joi';
import type { Message } from '../platform/endpoint.ts';
import { list, named, nullable, object, oneOf, time, uuid, whole } from '../platform/fields.ts';
import { ID } from './webhooks.schema.ts';

const timestamp = time.description('When it happened (UTC). An attempt has its own time, in `webhook-timestamp`.');
const CHANGED = ['link.created', 'link.revoked', 'link.flagged', 'link.cleared'] as const;

const linkMessage = named('LinkMessage', 'A link was created or has changed.', {
  type: oneOf(CHANGED),
  timestamp,
  data: object({
    slug: Joi.string(),
    short_url: Joi.string().meta({ format: 'uri' }),
    destination_url: Joi.string().meta({ format: 'iri' }),
    status: oneOf(['active', 'flagged', 'revoked']),
    threat_type: nullable(Joi.string()).description('What the destination is suspected of; null for a clean link.'),
    version: whole.description('A later change of the link has a higher one.'),
  }),
});

const clicksMessage = named('ClicksMessage', 'Visitors were redirected.', {
  type: oneOf(['link.clicked']),
  timestamp,
  data: object({
    clicks: list(
      object({
        id: Joi.string().description('The same in every message that holds this click.'),
        slug: Joi.string(),
        at: time,
        country: Joi.string().description('ISO 3166-1 alpha-2; `ZZ` if it is unknown.'),
        device: oneOf(['desktop', 'mobile', 'tablet']),
        browser: Joi.string().description('`Unknown` if it is.'),
        referrer: nullable(Joi.string()).description('The host name that the visitor sent: do not trust it.'),
        bot: Joi.boolean().description('Whether a known bot followed the link.'),
      }),
    ),
  }),
});

const testMessage = named('TestMessage', 'You asked for a test.', {
  type: oneOf(['webhook.test']),
  timestamp,
  data: object({ webhook: uuid.description('The ID of the webhook.') }),
});

const AT = '2026-11-21T10:15:00.000Z';
const link = {
  slug: 'aB3dE6g',
  short_url: '{redirect_base_url}/aB3dE6g',
  destination_url: 'https://example.com/',
  status: 'active' as const,
  threat_type: null,
  version: 1,
};
const clicks = [
  {
    id: '0193a5d0-7c1e-7abc-8def-0123456789ab',
    slug: 'aB3dE6g',
    at: AT,
    country: 'DE',
    device: 'mobile' as const,
    browser: 'Firefox',
    referrer: null,
    bot: false,
  },
];

const changed = (type: (typeof CHANGED)[number], means: string, change: object): Message => ({
  type,
  means,
  schema: linkMessage,
  example: { type, timestamp: AT, data: { ...link, ...change } },
});

export const webhookMessages: readonly Message[] = [
  changed('link.created', 'A link was created, even if it was flagged at once.', {}),
  changed('link.revoked', 'The owner revoked the link.', { status: 'revoked', version: 2 }),
  changed('link.flagged', 'A later scan found the destination suspicious, or an administrator took the link down.', {
    status: 'flagged',
    threat_type: 'phishing',
    version: 2,
  }),
  changed('link.cleared', 'A review found nothing wrong with the destination.', { version: 3 }),
  {
    type: 'link.clicked',
    means: 'Visitors were redirected.',
    schema: clicksMessage,
    example: { type: 'link.clicked', timestamp: AT, data: { clicks } },
  },
  {
    type: 'webhook.test',
    means: 'You asked for a test. It needs no subscription.',
    schema: testMessage,
    example: { type: 'webhook.test', timestamp: AT, data: { webhook: ID } },
  },
];
