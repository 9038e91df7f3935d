/** Declares what webhooks are sent. `/openapi.json` shows it, and the types of the SDK come from it. */
import Joi from 'joi';
import type { Message } from '../platform/endpoint.ts';
import { list, named, nullable, object, oneOf, optional, time, uuid, whole } from '../platform/fields.ts';
import { ID } from './webhooks.schema.ts';

const timestamp = time.description(
  'When the event occurred (UTC). The time of an attempt to deliver it is in `webhook-timestamp`.',
);
const CHANGED = ['link.created', 'link.revoked', 'link.flagged', 'link.cleared'] as const;

const linkMessage = named('LinkMessage', 'A link was created or changed.', {
  type: oneOf(CHANGED),
  timestamp,
  data: object({
    slug: Joi.string(),
    short_url: Joi.string().meta({ format: 'uri' }),
    destination_url: Joi.string().meta({ format: 'iri' }),
    status: oneOf(['active', 'flagged', 'revoked']),
    threat_type: nullable(Joi.string()).description('The threat that the destination is suspected of, or null.'),
    version: whole.description('The version of the link. It increases with each change.'),
    cause: optional(oneOf(['ended'])).description(
      '`ended`: the link was revoked because it reached its end. Otherwise absent.',
    ),
  }),
});

const clicksMessage = named('ClicksMessage', 'Visitors were redirected.', {
  type: oneOf(['link.clicked']),
  timestamp,
  data: object({
    clicks: list(
      object({
        id: Joi.string().description('The ID of the click. It is the same in every message that contains the click.'),
        slug: Joi.string(),
        at: time,
        country: Joi.string().description('The country as an ISO 3166-1 alpha-2 code. `ZZ`: unknown.'),
        device: oneOf(['desktop', 'mobile', 'tablet']),
        browser: Joi.string().description('The name of the browser, or `Unknown`.'),
        referrer: nullable(Joi.string()).description('The host name that the visitor sent. It is not verified.'),
        bot: Joi.boolean().description('Whether a known bot followed the link.'),
      }),
    ),
  }),
});

const testMessage = named('TestMessage', 'You requested a test message.', {
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

const changeMessage = (type: (typeof CHANGED)[number], means: string, change: object): Message => ({
  type,
  means,
  schema: linkMessage,
  example: { type, timestamp: AT, data: { ...link, ...change } },
});

export const webhookMessages: readonly Message[] = [
  changeMessage('link.created', 'A link was created. Its status may already be `flagged`.', {}),
  changeMessage('link.revoked', 'The owner revoked the link, or it reached its end.', {
    status: 'revoked',
    version: 2,
  }),
  changeMessage('link.flagged', 'A later scan flagged the link, or an administrator took it down.', {
    status: 'flagged',
    threat_type: 'phishing',
    version: 2,
  }),
  changeMessage('link.cleared', 'A review cleared the flag of the link.', { version: 3 }),
  {
    type: 'link.clicked',
    means: 'Visitors were redirected.',
    schema: clicksMessage,
    example: { type: 'link.clicked', timestamp: AT, data: { clicks } },
  },
  {
    type: 'webhook.test',
    means: 'You requested a test message. The webhook receives it without a subscription to this event.',
    schema: testMessage,
    example: { type: 'webhook.test', timestamp: AT, data: { webhook: ID } },
  },
];
