/** Webhooks: where the events of an account's links are sent (docs/webhooks.md). */
import { DELIVERY_STATES, WEBHOOK_EVENTS, WEBHOOK_LIMITS, type Webhook, type WebhookDelivery } from '@waypost/domain';
import Joi from 'joi';
import { messageId } from '../use-cases/deliver-webhook.ts';
import {
  changeWebhook,
  createWebhook,
  DELIVERIES_PER_PAGE,
  deleteWebhook,
  getWebhook,
  listDeliveries,
  replayDelivery,
  rotateSecret,
  testWebhook,
} from '../use-cases/webhooks.ts';
import { endpoint, wrong } from './endpoint.ts';
import { countedList, inPath, list, named, nullable, oneOf, optional, text, time, uuid, whole } from './fields.ts';
import { input } from './input.ts';

const ID = '4f0c8f52-2a3c-4a57-8f6e-1d2b3c4d5e6f';
const MESSAGE = 'msg_0d4f0b7e-6a51-4d0c-9b1f-2f3a4b5c6d7e';
const ID_MAX = 100;

const webhookId = inPath(ID_MAX, 'The id of a webhook of yours.', ID);

const secretField = Joi.string().description('Signs the messages. Shown this once.');
const webhookFields = {
  id: uuid,
  url: Joi.string().meta({ format: 'uri' }),
  events: list(Joi.string()).description('What it is sent. Accept values that you do not know.'),
  enabled: Joi.boolean(),
  disabled_reason: nullable(Joi.string()).description(
    'Null while it is enabled. `owner`: by you. `gone`: it answered 410. `failing`: it took nothing for days. `backlog`: too much waited for it. Accept values that you do not know.',
  ),
  disabled_at: nullable(time),
  failing_since: nullable(time).description(
    'Since when no attempt at this URL succeeded; null if the last one did, or there was none.',
  ),
  created_at: time,
};
export const webhookBody = named('WebhookEndpoint', 'A receiver of events.', webhookFields);

const deliveryBody = named('WebhookDelivery', 'A message to a webhook, and what became of it.', {
  id: Joi.string().description('Its `webhook-id`: the same over all attempts and replays.'),
  type: Joi.string().description('The event, or `webhook.test`.'),
  state: oneOf(DELIVERY_STATES).description('A `failed` one is not tried any more.'),
  created_at: time,
  attempts: whole.description('Since it was made, or replayed.'),
  last_attempt_at: nullable(time),
  next_attempt_at: nullable(time).description('Null unless it is pending.'),
  last_status: nullable(whole).description('What the receiver answered last; null if it did not.'),
  last_error: nullable(Joi.string()).description('Why the last attempt failed.'),
  last_answer: nullable(Joi.string()).description(
    `The first ${WEBHOOK_LIMITS.answerBytes} bytes of the last answer, as text.`,
  ),
});

export function presentWebhook({ id, url, events, createdAt, failingSince, disabled }: Webhook) {
  return {
    id,
    url,
    events,
    enabled: disabled === null,
    disabled_reason: disabled?.reason ?? null,
    disabled_at: disabled?.at.toISOString() ?? null,
    failing_since: failingSince?.toISOString() ?? null,
    created_at: createdAt.toISOString(),
  };
}

function presentDelivery(delivery: WebhookDelivery) {
  return {
    id: messageId(delivery.id),
    type: delivery.type,
    state: delivery.state,
    created_at: delivery.createdAt.toISOString(),
    attempts: delivery.attempts,
    last_attempt_at: delivery.lastAttemptAt?.toISOString() ?? null,
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    last_status: delivery.lastStatus,
    last_error: delivery.lastError,
    last_answer: delivery.lastAnswer,
  };
}

export const WEBHOOK = presentWebhook({
  id: ID,
  accountId: '',
  url: 'https://hooks.example.org/waypost',
  events: ['link.flagged', 'link.clicked'],
  createdAt: new Date('2026-11-21T09:30:00.000Z'),
  failingSince: null,
  disabled: null,
});
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw…';
const DELIVERY = {
  id: MESSAGE,
  type: 'link.flagged',
  state: 'failed' as const,
  created_at: '2026-11-21T09:30:00.000Z',
  attempts: 16,
  last_attempt_at: '2026-11-22T09:12:00.000Z',
  next_attempt_at: null,
  last_status: 500,
  last_error: 'answered 500',
  last_answer: 'Internal Server Error',
};
const PENDING = {
  ...DELIVERY,
  state: 'pending' as const,
  attempts: 0,
  last_attempt_at: null,
  next_attempt_at: '2026-11-21T09:30:00.000Z',
  last_status: null,
  last_error: null,
  last_answer: null,
};

const urlField = text
  .meta({ format: 'iri', pattern: '^[Hh][Tt][Tt][Pp][Ss]://' })
  .description(
    'Where to: an https URL of a public host, at most 2048 bytes, without credentials. Redirects are not followed.',
  );
const eventsField = countedList(oneOf(WEBHOOK_EVENTS), (given) =>
  given.length < 1 || given.length > WEBHOOK_EVENTS.length || new Set(given).size < given.length
    ? `must hold 1 to ${WEBHOOK_EVENTS.length} different events`
    : undefined,
)
  .meta({ minItems: 1, maxItems: WEBHOOK_EVENTS.length, uniqueItems: true })
  .description('What to send.');
const noSuch = { 404: 'There is no such webhook of yours.' };
const ONE = { scope: 'write', params: { webhook: webhookId }, errors: ['webhook_not_found'], means: noSuch } as const;
const READ = { scope: 'read', share: 'reads' } as const;
const example = { url: WEBHOOK.url, events: WEBHOOK.events };

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
    handle: async ({ caller }, deps) => ({
      data: (await deps.webhooks.list(caller.accountId)).map(presentWebhook),
      limit: WEBHOOK_LIMITS.perAccount,
    }),
  }),
  endpoint({
    id: 'createWebhook',
    method: 'POST',
    path: '/webhooks',
    scope: 'write',
    summary: 'Make a webhook',
    description: `Sends the events of your links from now on, signed by the Standard Webhooks specification. The secret is in this answer and nowhere else. An account has at most ${WEBHOOK_LIMITS.perAccount} webhooks.`,
    body: input({ url: urlField, events: eventsField }, 'NewWebhook', 'A webhook to be made.'),
    examples: { 'For flags and clicks': example },
    answers: {
      201: {
        means: 'The webhook was made.',
        schema: named('CreatedWebhook', 'A new webhook.', { ...webhookFields, secret: secretField }),
        examples: { 'A webhook': { ...WEBHOOK, secret: SECRET } },
      },
    },
    errors: [wrong('Not public', { url: 'must have a public host name' }), 'too_many_webhooks'],
    means: { 400: 'The body is wrong.', 409: 'The account has as many webhooks as it may have.' },
    cli: 'waypost webhooks create https://hooks.example.org/waypost --event link.flagged --event link.clicked',
    handle: async ({ caller, body }, deps) => {
      const { secret, ...webhook } = await createWebhook(deps, caller.accountId, body);
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
    handle: async ({ caller, params }, deps) =>
      presentWebhook(await getWebhook(deps, caller.accountId, params.webhook)),
  }),
  endpoint({
    ...ONE,
    id: 'changeWebhook',
    method: 'PUT',
    path: '/webhooks/:webhook',
    summary: 'Change a webhook',
    description: 'Replaces its address and events, and switches it on or off. Its secret stays.',
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
    answers: { 200: { means: 'The webhook as it is now.', schema: webhookBody, examples: { Changed: WEBHOOK } } },
    errors: [wrong('Not public', { url: 'must have a public host name' }), 'webhook_not_found'],
    means: { 400: 'The body is wrong.', ...noSuch },
    handle: async ({ caller, params, body }, deps) =>
      presentWebhook(await changeWebhook(deps, caller.accountId, params.webhook, body)),
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
    handle: async ({ caller, params }, deps) => {
      await deleteWebhook(deps, caller.accountId, params.webhook);
      return { id: params.webhook, deleted_at: deps.now().toISOString() };
    },
  }),
  endpoint({
    ...ONE,
    id: 'rotateWebhookSecret',
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
    handle: async ({ caller, params }, deps) => {
      const { secret, oldSecretUntil, ...webhook } = await rotateSecret(deps, caller.accountId, params.webhook);
      return { ...presentWebhook(webhook), secret, old_secret_until: oldSecretUntil.toISOString() };
    },
  }),
  endpoint({
    ...ONE,
    id: 'testWebhook',
    method: 'POST',
    path: '/webhooks/:webhook/test',
    summary: 'Test a webhook',
    description: 'Sends a message of the type `webhook.test`, once. Its delivery tells what the receiver answered.',
    answers: {
      201: {
        means: 'The message is on its way.',
        schema: deliveryBody,
        examples: { Pending: { ...PENDING, type: 'webhook.test' } },
      },
    },
    errors: ['webhook_disabled', 'webhook_not_found', 'too_many_attempts'],
    means: { 400: 'The webhook is switched off.', ...noSuch, 429: 'Too many tests. Wait for `Retry-After`.' },
    cli: `waypost webhooks test ${ID}`,
    handle: async ({ caller, params }, deps) =>
      presentDelivery(await testWebhook(deps, caller.accountId, params.webhook)),
  }),
  endpoint({
    ...ONE,
    ...READ,
    id: 'listWebhookDeliveries',
    method: 'GET',
    path: '/webhooks/:webhook/deliveries',
    summary: 'List the deliveries of a webhook',
    description: `The newest first, ${DELIVERIES_PER_PAGE} at a time. The log goes back 30 days, that of clicks 2.`,
    query: {
      state: optional(oneOf(DELIVERY_STATES)).description('Only deliveries of this state.'),
      before: optional(text)
        .meta({ pattern: '^msg_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' })
        .description('Only deliveries from before the one of this id.')
        .example(MESSAGE),
    },
    answers: {
      200: {
        means: 'Some of the deliveries.',
        schema: named('WebhookDeliveryPage', 'Some deliveries of a webhook.', {
          data: list(deliveryBody),
          next: nullable(Joi.string()).description('For `before`, to go on; null at the end.'),
        }),
        examples: { 'One delivery': { data: [DELIVERY], next: null } },
      },
    },
    errors: [wrong('Not an id', { before: 'is not the id of a delivery' }), 'webhook_not_found'],
    cli: `waypost webhooks deliveries ${ID} --state failed`,
    handle: async ({ caller, params, query }, deps) => {
      const found = await listDeliveries(deps, caller.accountId, params.webhook, query);
      const data = found.map(presentDelivery);
      return { data, next: data.length < DELIVERIES_PER_PAGE ? null : data.at(-1)!.id };
    },
  }),
  endpoint({
    ...ONE,
    id: 'replayWebhookDelivery',
    method: 'POST',
    path: '/webhooks/:webhook/deliveries/:delivery/replay',
    summary: 'Send a delivery again',
    description: 'The same message with the same id, tried for a day like a new one.',
    params: {
      webhook: webhookId,
      delivery: inPath(ID_MAX, 'The id of a delivery of this webhook.', MESSAGE),
    },
    answers: {
      200: { means: 'The message is on its way.', schema: deliveryBody, examples: { Pending: PENDING } },
    },
    errors: ['webhook_disabled', 'delivery_pending', 'webhook_not_found', 'delivery_not_found', 'too_many_attempts'],
    means: {
      400: 'The webhook is switched off, or the delivery is pending.',
      404: 'There is no such webhook of yours, or no such delivery of it.',
      429: 'Too many tests and replays. Wait for `Retry-After`.',
    },
    cli: `waypost webhooks replay ${ID} ${MESSAGE}`,
    handle: async ({ caller, params }, deps) => presentDelivery(await replayDelivery(deps, caller.accountId, params)),
  }),
];
