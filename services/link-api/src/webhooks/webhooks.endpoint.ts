import Joi from 'joi';
import { actorOf } from '../platform/caller.ts';
import { endpoint, wrong } from '../platform/endpoint.ts';
import { countedList, list, named, nullable, oneOf, optional, text, time, whole } from '../platform/fields.ts';
import { input } from '../platform/input.ts';
import type { WebhooksPorts } from './ports.ts';
import { EVENTS_OF, WEBHOOK_EVENTS, WEBHOOK_LIMITS, WEBHOOK_SCOPES } from './webhook.ts';
import {
  CHANGE,
  ID,
  noSuch,
  ONE,
  presentWebhook,
  READ,
  scopeField,
  WEBHOOK,
  webhookBody,
  webhookFields,
} from './webhooks.schema.ts';
import { changeWebhook, createWebhook, deleteWebhook, getWebhook, rotateSecret } from './webhooks.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw…';
const secretField = Joi.string().description('Signs the messages. Shown this once.');

const urlField = text
  .meta({ format: 'iri', pattern: '^[Hh][Tt][Tt][Pp][Ss]://' })
  .description(
    'Where to: an https URL of a public host, at most 2048 bytes, without credentials. Redirects are not followed.',
  );
const eventsField = countedList(oneOf(WEBHOOK_EVENTS), (events) =>
  events.length < 1 || events.length > WEBHOOK_EVENTS.length || new Set(events).size < events.length
    ? `must hold 1 to ${WEBHOOK_EVENTS.length} different events`
    : undefined,
)
  .meta({ minItems: 1, maxItems: WEBHOOK_EVENTS.length, uniqueItems: true })
  .description('What to send.');
const example = { url: WEBHOOK.url, events: WEBHOOK.events };

const newWebhook = input(
  { url: urlField, events: eventsField, scope: optional(scopeField).description('`account` unless it is given.') },
  'NewWebhook',
  'A webhook to be made.',
);
/** Tells clients in JSON Schema what the use case checks: no event of another scope. */
const EVENTS_BY_SCOPE = {
  not: {
    anyOf: WEBHOOK_SCOPES.map((scope) => ({
      required: scope === 'account' ? ['events'] : ['events', 'scope'],
      properties: {
        scope: { const: scope },
        events: { contains: { enum: WEBHOOK_EVENTS.filter((event) => !EVENTS_OF[scope].includes(event)) } },
      },
    })),
  },
};

export const webhookEndpoints = [
  endpoint({
    ...READ,
    id: 'listWebhooks',
    method: 'GET',
    path: '/webhooks',
    summary: 'List your webhooks',
    description: 'All of them, the oldest first.',
    answers: {
      200: {
        means: 'The webhooks.',
        schema: named('WebhookList', 'The webhooks of an account.', {
          data: list(webhookBody),
          limit: whole.description('Webhooks that an account may have.'),
        }),
        examples: { 'One webhook': { data: [WEBHOOK], limit: WEBHOOK_LIMITS.perAccount } },
      },
    },
    cli: 'waypost webhooks list',
    handle: async ({ caller }, deps: WebhooksPorts) => ({
      data: (await deps.webhooks.list(caller.accountId)).map(presentWebhook),
      limit: WEBHOOK_LIMITS.perAccount,
    }),
  }),
  endpoint({
    ...CHANGE,
    id: 'createWebhook',
    method: 'POST',
    path: '/webhooks',
    proof: true,
    summary: 'Make a webhook',
    description: `Sends the events of your links from now on, signed by the Standard Webhooks specification. The secret is in this answer and nowhere else. An account has at most ${WEBHOOK_LIMITS.perAccount} webhooks.`,
    body: { ...newWebhook, schema: newWebhook.schema.meta(EVENTS_BY_SCOPE) },
    examples: {
      'For flags and clicks': example,
      'For reports': { url: WEBHOOK.url, events: ['case.opened'], scope: 'installation' },
    },
    answers: {
      201: {
        means: 'The webhook was made.',
        schema: named('CreatedWebhook', 'A new webhook.', { ...webhookFields, secret: secretField }),
        examples: { 'A webhook': { ...WEBHOOK, secret: SECRET } },
      },
    },
    errors: [
      wrong('Not public', { url: 'must have a public host name' }),
      wrong('Of the other scope', { events: 'case.opened is no event of the scope account' }),
      'administrator_needed',
      'too_many_webhooks',
    ],
    means: { 400: 'The body is wrong.', 409: 'The account has as many webhooks as it may have.' },
    cli: 'waypost webhooks create https://hooks.example.org/waypost --event link.flagged --event link.clicked',
    handle: async ({ caller, body }, deps: WebhooksPorts) => {
      const { secret, ...webhook } = await createWebhook(deps, caller, { ...body, scope: body.scope ?? 'account' });
      return { ...presentWebhook(webhook), secret };
    },
  }),
  endpoint({
    ...ONE,
    ...READ,
    id: 'getWebhook',
    method: 'GET',
    path: '/webhooks/:webhook',
    summary: 'Read a webhook',
    description: 'With what became of it: one that fails for long is switched off.',
    answers: { 200: { means: 'The webhook.', schema: webhookBody, examples: { 'A webhook': WEBHOOK } } },
    cli: `waypost webhooks show ${ID}`,
    handle: async ({ caller, params }, deps: WebhooksPorts) =>
      presentWebhook(await getWebhook(deps, caller.accountId, params.webhook)),
  }),
  endpoint({
    ...ONE,
    ...CHANGE,
    id: 'changeWebhook',
    proof: true,
    method: 'PUT',
    path: '/webhooks/:webhook',
    summary: 'Change a webhook',
    description:
      'Replaces its address and events, and switches it on or off. With another host it gets a new secret, which is in this answer and nowhere else; the earlier one ends at once.',
    body: input(
      {
        url: urlField,
        events: eventsField,
        enabled: Joi.boolean().description('What happens while it is off is not sent later.'),
      },
      'WebhookChange',
      'A webhook as it should be.',
    ),
    examples: { 'Switched on again': { ...example, enabled: true } },
    answers: {
      200: {
        means: 'The webhook as it is now.',
        schema: named('ChangedWebhook', 'A changed webhook.', {
          ...webhookFields,
          secret: nullable(secretField).description('The new secret, shown this once; null if it did not change.'),
        }),
        examples: { Changed: { ...WEBHOOK, secret: null }, 'With another host': { ...WEBHOOK, secret: SECRET } },
      },
    },
    errors: [wrong('Not public', { url: 'must have a public host name' }), 'administrator_needed', 'webhook_not_found'],
    means: { 400: 'The body is wrong.', ...noSuch },
    cli: `waypost webhooks enable ${ID}`,
    handle: async ({ caller, params, body }, deps: WebhooksPorts) => {
      const { secret, ...webhook } = await changeWebhook(deps, caller, params.webhook, body);
      return { ...presentWebhook(webhook), secret };
    },
  }),
  endpoint({
    ...ONE,
    id: 'deleteWebhook',
    method: 'DELETE',
    path: '/webhooks/:webhook',
    summary: 'Delete a webhook',
    description: 'It is sent nothing more, its log included. This cannot be undone.',
    answers: {
      200: {
        means: 'The webhook is deleted.',
        schema: named('DeletedWebhook', 'A deleted webhook.', { id: webhookFields.id, deleted_at: time }),
        examples: { Deleted: { id: ID, deleted_at: '2026-11-21T10:15:00.000Z' } },
      },
    },
    cli: `waypost webhooks delete ${ID}`,
    handle: async ({ caller, params }, deps: WebhooksPorts) => {
      await deleteWebhook(deps, caller.accountId, params.webhook, actorOf(caller));
      return { id: params.webhook, deleted_at: deps.now().toISOString() };
    },
  }),
  endpoint({
    ...ONE,
    ...CHANGE,
    id: 'rotateWebhookSecret',
    errors: ['administrator_needed', 'webhook_not_found'],
    proof: true,
    method: 'POST',
    path: '/webhooks/:webhook/secret',
    summary: 'Rotate the secret of a webhook',
    description:
      'Messages carry the signatures of both secrets, the new and the earlier one, for 24 hours. Rotated again in that time, the one before it stops at once.',
    answers: {
      200: {
        means: 'The webhook has a new secret.',
        schema: named('RotatedWebhook', 'A webhook with a new secret.', {
          ...webhookFields,
          secret: secretField,
          old_secret_until: time.description('The earlier secret signs until then, too.'),
        }),
        examples: { Rotated: { ...WEBHOOK, secret: SECRET, old_secret_until: '2026-11-22T09:30:00.000Z' } },
      },
    },
    cli: `waypost webhooks rotate ${ID}`,
    handle: async ({ caller, params }, deps: WebhooksPorts) => {
      const { secret, oldSecretUntil, ...webhook } = await rotateSecret(deps, caller, params.webhook);
      return { ...presentWebhook(webhook), secret, old_secret_until: oldSecretUntil.toISOString() };
    },
  }),
];
